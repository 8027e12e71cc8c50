//! `Runtime`: script in a page, its worlds, and the bindings through which it calls back.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Empty, command, event, exchanged, identifier, open_enum, received};

/// The number of one world of one document, unique within its process only.
pub type ExecutionContextId = i64;

identifier!(RemoteObjectId, ScriptId, UniqueContextId);

command! {
    Enable = "Runtime.enable" -> Empty {}
    Disable = "Runtime.disable" -> Empty {}
    RunIfWaitingForDebugger = "Runtime.runIfWaitingForDebugger" -> Empty {}
    TerminateExecution = "Runtime.terminateExecution" -> Empty {}
    Evaluate<'a> = "Runtime.evaluate" -> Evaluation {
        expression: &'a str,
        object_group: Option<&'a str>,
        silent: bool,
        context_id: Option<ExecutionContextId>,
        unique_context_id: Option<UniqueContextId>,
        return_by_value: bool,
        user_gesture: bool,
        await_promise: bool,
        /// Milliseconds after which the browser itself ends the script.
        timeout: Option<f64>,
        repl_mode: bool,
        #[serde(rename = "allowUnsafeEvalBlockedByCSP")]
        allow_unsafe_eval_blocked_by_csp: Option<bool>,
    }
    CallFunctionOn<'a> = "Runtime.callFunctionOn" -> Evaluation {
        function_declaration: &'a str,
        object_id: Option<RemoteObjectId>,
        arguments: Option<Vec<CallArgument>>,
        silent: bool,
        return_by_value: bool,
        user_gesture: bool,
        await_promise: bool,
        execution_context_id: Option<ExecutionContextId>,
        unique_context_id: Option<UniqueContextId>,
        object_group: Option<&'a str>,
    }
    AwaitPromise = "Runtime.awaitPromise" -> Evaluation {
        promise_object_id: RemoteObjectId,
        return_by_value: bool,
    }
    AddBinding<'a> = "Runtime.addBinding" -> Empty {
        name: &'a str,
        execution_context_name: Option<&'a str>,
    }
    RemoveBinding<'a> = "Runtime.removeBinding" -> Empty {
        name: &'a str,
    }
    GetProperties = "Runtime.getProperties" -> Properties {
        object_id: RemoteObjectId,
        own_properties: bool,
        accessor_properties_only: bool,
    }
    ReleaseObject = "Runtime.releaseObject" -> Empty {
        object_id: RemoteObjectId,
    }
    ReleaseObjectGroup<'a> = "Runtime.releaseObjectGroup" -> Empty {
        object_group: &'a str,
    }
    GetHeapUsage = "Runtime.getHeapUsage" -> HeapUsage {}
}

event! {
    ExecutionContextCreated = "Runtime.executionContextCreated" {
        context: ExecutionContextDescription,
    }
    ExecutionContextDestroyed = "Runtime.executionContextDestroyed" {
        execution_context_id: ExecutionContextId,
        #[serde(default)]
        execution_context_unique_id: UniqueContextId,
    }
    ExecutionContextsCleared = "Runtime.executionContextsCleared" {}
    BindingCalled = "Runtime.bindingCalled" {
        name: String,
        payload: String,
        execution_context_id: ExecutionContextId,
    }
    ConsoleApiCalled = "Runtime.consoleAPICalled" {
        #[serde(rename = "type")]
        kind: String,
        args: Vec<RemoteObject>,
        execution_context_id: ExecutionContextId,
        timestamp: f64,
        stack_trace: Option<StackTrace>,
    }
    ExceptionThrown = "Runtime.exceptionThrown" {
        timestamp: f64,
        exception_details: ExceptionDetails,
    }
}

received! {
    Evaluation {
        result: RemoteObject,
        exception_details: Option<ExceptionDetails>,
    }
    RemoteObject {
        #[serde(rename = "type")]
        kind: RemoteObjectType,
        subtype: Option<String>,
        class_name: Option<String>,
        /// Kept as text: a big value is decoded once, by whoever knows its shape.
        value: Option<Box<RawValue>>,
        unserializable_value: Option<String>,
        description: Option<String>,
        object_id: Option<RemoteObjectId>,
    }
    ExceptionDetails {
        exception_id: i64,
        text: String,
        line_number: i64,
        column_number: i64,
        script_id: Option<ScriptId>,
        url: Option<String>,
        stack_trace: Option<StackTrace>,
        exception: Option<RemoteObject>,
        execution_context_id: Option<ExecutionContextId>,
    }
    StackTrace {
        description: Option<String>,
        #[serde(default)]
        call_frames: Vec<CallFrame>,
    }
    CallFrame {
        function_name: String,
        script_id: ScriptId,
        url: String,
        line_number: i64,
        column_number: i64,
    }
    ExecutionContextDescription {
        id: ExecutionContextId,
        origin: String,
        name: String,
        unique_id: UniqueContextId,
        /// For a page: `frameId`, `isDefault`, `type`.
        #[serde(default)]
        aux_data: Map<String, Value>,
    }
    Properties {
        result: Vec<PropertyDescriptor>,
        exception_details: Option<ExceptionDetails>,
    }
    PropertyDescriptor {
        name: String,
        value: Option<RemoteObject>,
        get: Option<RemoteObject>,
        set: Option<RemoteObject>,
        enumerable: bool,
        is_own: Option<bool>,
    }
    HeapUsage {
        used_size: f64,
        total_size: f64,
    }
}

exchanged! {
    CallArgument {
        value: Option<Value>,
        unserializable_value: Option<String>,
        object_id: Option<RemoteObjectId>,
    }
}

open_enum! {
    RemoteObjectType {
        Object = "object",
        Function = "function",
        Undefined = "undefined",
        String = "string",
        Number = "number",
        Boolean = "boolean",
        Symbol = "symbol",
        Bigint = "bigint",
    }
}

impl RemoteObject {
    /// The value, when it was asked for by value and there is one. JSON's `null` and JavaScript's `undefined` are none.
    pub fn value_as<T: DeserializeOwned>(&self) -> Result<Option<T>, serde_json::Error> {
        self.value
            .as_ref()
            .map(|value| crate::connection::message::decode(value.get().as_bytes()))
            .transpose()
    }
}
