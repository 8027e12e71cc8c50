//! `Emulation`: the device, place and preferences that a page believes in.

use super::{Empty, command, exchanged, open_enum};

command! {
    SetDeviceMetricsOverride = "Emulation.setDeviceMetricsOverride" -> Empty {
        width: u32,
        height: u32,
        device_scale_factor: f64,
        mobile: bool,
        screen_width: Option<u32>,
        screen_height: Option<u32>,
        screen_orientation: Option<ScreenOrientation>,
    }
    ClearDeviceMetricsOverride = "Emulation.clearDeviceMetricsOverride" -> Empty {}
    SetFocusEmulationEnabled = "Emulation.setFocusEmulationEnabled" -> Empty {
        enabled: bool,
    }
    SetTouchEmulationEnabled = "Emulation.setTouchEmulationEnabled" -> Empty {
        enabled: bool,
        max_touch_points: Option<u32>,
    }
    SetEmitTouchEventsForMouse = "Emulation.setEmitTouchEventsForMouse" -> Empty {
        enabled: bool,
    }
    SetEmulatedMedia<'a> = "Emulation.setEmulatedMedia" -> Empty {
        media: Option<&'a str>,
        features: Option<Vec<MediaFeature>>,
    }
    SetLocaleOverride<'a> = "Emulation.setLocaleOverride" -> Empty {
        locale: Option<&'a str>,
    }
    SetTimezoneOverride<'a> = "Emulation.setTimezoneOverride" -> Empty {
        timezone_id: &'a str,
    }
    SetGeolocationOverride = "Emulation.setGeolocationOverride" -> Empty {
        latitude: Option<f64>,
        longitude: Option<f64>,
        accuracy: Option<f64>,
    }
    SetUserAgentOverride<'a> = "Emulation.setUserAgentOverride" -> Empty {
        user_agent: &'a str,
        accept_language: Option<&'a str>,
        platform: Option<&'a str>,
    }
    SetScriptExecutionDisabled = "Emulation.setScriptExecutionDisabled" -> Empty {
        value: bool,
    }
    SetScrollbarsHidden = "Emulation.setScrollbarsHidden" -> Empty {
        hidden: bool,
    }
    SetCpuThrottlingRate = "Emulation.setCPUThrottlingRate" -> Empty {
        rate: f64,
    }
}

exchanged! {
    MediaFeature {
        name: String,
        value: String,
    }
    ScreenOrientation {
        #[serde(rename = "type")]
        kind: OrientationType,
        angle: i64,
    }
}

open_enum! {
    OrientationType {
        PortraitPrimary = "portraitPrimary",
        PortraitSecondary = "portraitSecondary",
        LandscapePrimary = "landscapePrimary",
        LandscapeSecondary = "landscapeSecondary",
    }
}
