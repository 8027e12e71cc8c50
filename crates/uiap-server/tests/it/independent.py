"""A client of ws@0.1 that shares no line with the server: plain sockets and the standard library.

    independent.py ADDRESS:PORT [LOG]

With LOG it also presses the button "Add" of the page, and writes down every message of the session.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import sys

host, port = sys.argv[1].split(":")
log = open(sys.argv[2], "w", encoding="utf-8") if len(sys.argv) > 2 else None
link = socket.create_connection((host, int(port)), timeout=20)
key = base64.b64encode(os.urandom(16)).decode()
link.sendall(
    (
        f"GET /uiap/ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: uiap.v0.1\r\n\r\n"
    ).encode()
)
waiting = b""


def more():
    global waiting
    part = link.recv(65536)
    if not part:
        raise SystemExit("the server hung up")
    waiting += part


def take(count):
    global waiting
    while len(waiting) < count:
        more()
    part, waiting = waiting[:count], waiting[count:]
    return part


while b"\r\n\r\n" not in waiting:
    more()
head, waiting = waiting.split(b"\r\n\r\n", 1)
head = head.decode().lower()
accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
assert " 101 " in head.splitlines()[0], head
assert accept.lower() in head and "sec-websocket-protocol: uiap.v0.1" in head, head


def frame(opcode, data):
    mask = os.urandom(4)
    size = len(data)
    if size < 126:
        length = bytes([0x80 | size])
    elif size < 65536:
        length = bytes([0x80 | 126]) + struct.pack(">H", size)
    else:
        length = bytes([0x80 | 127]) + struct.pack(">Q", size)
    link.sendall(bytes([0x80 | opcode]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))


def short(value):
    """The same without what is long."""
    if isinstance(value, list):
        kept = [short(each) for each in value[:2]]
        return kept if len(value) <= 3 else kept + [f"… {len(value) - 2} more"]
    if isinstance(value, dict):
        return {key: short(each) for key, each in value.items()}
    return value


def note(arrow, envelope):
    if log:
        print(arrow, json.dumps(short(envelope), ensure_ascii=False), file=log)


def receive():
    message = read()
    note("←", message) if isinstance(message, dict) else note("← close", message)
    return message


def read():
    data = b""
    while True:
        first, second = take(2)
        size = second & 127
        if size == 126:
            (size,) = struct.unpack(">H", take(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", take(8))
        part = take(size)
        opcode = first & 15
        if opcode == 9:
            frame(10, part)
        elif opcode == 8:
            return struct.unpack(">H", part[:2])[0]
        elif opcode in (0, 1):
            data += part
            if first & 128:
                return json.loads(data)


number = 0
session = None


def send(kind, name, payload):
    global number
    number += 1
    envelope = {
        "uiap": "0.1", "kind": kind, "type": name, "id": f"py{number}", "ts": "2026-03-26T14:00:00.000Z",
        "source": {"role": "agent", "id": "python"}, "payload": payload,
    }
    if session:
        envelope["sessionId"] = session
    note("→", envelope)
    frame(1, json.dumps(envelope).encode())
    return envelope["id"]


events = []


def ask(name, payload):
    wanted = send("request", name, payload)
    while True:
        answer = receive()
        if answer.get("correlationId") == wanted:
            return answer
        events.append(answer)


hello = ask("session.initialize", {
    "supportedVersions": ["0.1"], "peer": {"role": "agent", "id": "python"}, "supportedProfiles": ["web@0.1"],
})
assert hello["type"] == "session.initialized", hello
session = hello["sessionId"]
assert ask("capabilities.get", {})["type"] == "capabilities.list"
state = ask("web.state.get", {})
assert state["payload"]["snapshot"]["profile"] == "web@0.1", state
observing = ask("web.state.observe", {"initialSnapshot": True})
while not any(event["type"] == "web.state.snapshot" for event in events):
    events.append(receive())
if log:
    button = {"by": "semantic", "role": "button", "name": "Add"}
    accepted = ask("action.request", {"actionId": "ui.activate", "target": {"ref": button}, "idempotencyKey": "add-1"})
    assert accepted["type"] == "action.accepted", accepted
    handle = accepted["payload"]["actionHandle"]
    while True:
        told = receive()
        if told["type"] == "action.result" and told["payload"]["actionHandle"] == handle:
            break
    assert told["payload"]["status"] == "succeeded", told
assert ask("nobody.knows", {})["payload"]["code"] == "unsupported_message_type"
note("→", "{")
frame(1, b"{")
while True:
    told = receive()
    if told["type"] == "error":
        break
assert told["payload"]["code"] == "invalid_json", told
send("event", "session.heartbeat", {"seq": 1})
ended = ask("web.state.unobserve", {"subscriptionId": observing["payload"]["subscriptionId"]})
assert ended["type"] == "web.state.unobserved", ended
assert ask("session.terminate", {"reason": "completed"})["type"] == "session.terminated"
closed = receive()
while isinstance(closed, dict):
    closed = receive()
assert closed == 1000, closed
print("fine")
