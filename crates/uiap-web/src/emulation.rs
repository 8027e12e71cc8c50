//! The device, place and preferences that a page believes in.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use serde_json::Value;
use uiap_cdp::protocol::browser::{PermissionDescriptor, PermissionSetting, SetPermission};
use uiap_cdp::protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverride, SetEmulatedMedia, SetGeolocationOverride, SetLocaleOverride,
    SetTimezoneOverride, SetTouchEmulationEnabled, SetUserAgentOverride,
};
use uiap_cdp::protocol::network::{self, EmulateNetworkConditions, SetExtraHttpHeaders};
use uiap_cdp::{Browser, CallError, Session};

/// Which colours a page is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorScheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The screen of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screen {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Pixels of the device per CSS pixel.
    pub scale: f64,
    /// Whether it is a phone's: the page's `viewport` counts.
    pub mobile: bool,
    /// Whether it can be touched.
    pub touch: bool,
}

/// A permission of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// Its name, such as `geolocation` or `clipboard-read`.
    pub name: String,
    /// The origin; all of them where none is given.
    pub origin: Option<String>,
    /// Whether it is granted or denied.
    pub granted: bool,
}

/// What a page is made to believe. What is not given stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Emulation {
    /// The language, such as `de-DE`: for numbers and dates, and what the page's server is asked for.
    pub locale: Option<String>,
    /// The time zone, such as `Europe/Berlin`.
    pub timezone: Option<String>,
    /// The screen.
    pub screen: Option<Screen>,
    /// Who the browser says it is.
    pub user_agent: Option<String>,
    /// Headers that go with every request of the page.
    pub headers: BTreeMap<String, String>,
    /// Whether there is no network.
    pub offline: Option<bool>,
    /// The colours.
    pub color_scheme: Option<ColorScheme>,
    /// Whether things shall not move.
    pub reduced_motion: Option<bool>,
    /// Latitude and longitude.
    pub position: Option<(f64, f64)>,
    /// Permissions, for the whole context of the page.
    pub permissions: Vec<Permission>,
}

impl Emulation {
    /// Applies it to a page, best before it goes to its first address.
    pub fn apply<'a>(
        &'a self,
        browser: &'a Browser,
        session: &'a Session,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move {
            self.language(browser, session).await?;
            if let Some(timezone_id) = self.timezone.as_deref() {
                session.call(SetTimezoneOverride { timezone_id }).await?;
            }
            if let Some(screen) = self.screen {
                apply_screen(session, screen).await?;
            }
            self.media(session).await?;
            self.network(session).await?;
            if let Some((latitude, longitude)) = self.position {
                let position = SetGeolocationOverride {
                    latitude: Some(latitude),
                    longitude: Some(longitude),
                    accuracy: Some(1.0),
                };
                session.call(position).await?;
            }
            for permission in &self.permissions {
                permit(browser, session, permission).await?;
            }
            Ok(())
        })
    }

    async fn language(&self, browser: &Browser, session: &Session) -> Result<(), CallError> {
        if self.locale.is_none() && self.user_agent.is_none() {
            return Ok(());
        }
        if let Some(locale) = self.locale.as_deref() {
            session.call(SetLocaleOverride { locale: Some(locale) }).await?;
        }
        let user_agent = self.user_agent.as_deref().unwrap_or(&browser.version().user_agent);
        let accept_language = self.locale.as_deref();
        session.call(SetUserAgentOverride { user_agent, accept_language, platform: None }).await?;
        Ok(())
    }

    async fn media(&self, session: &Session) -> Result<(), CallError> {
        let mut features = Vec::new();
        let mut feature = |name: &str, value: &str| {
            features.push(MediaFeature { name: name.to_owned(), value: value.to_owned() });
        };
        match self.color_scheme {
            Some(ColorScheme::Light) => feature("prefers-color-scheme", "light"),
            Some(ColorScheme::Dark) => feature("prefers-color-scheme", "dark"),
            None => {}
        }
        match self.reduced_motion {
            Some(true) => feature("prefers-reduced-motion", "reduce"),
            Some(false) => feature("prefers-reduced-motion", "no-preference"),
            None => {}
        }
        if !features.is_empty() {
            session.call(SetEmulatedMedia { media: None, features: Some(features) }).await?;
        }
        Ok(())
    }

    async fn network(&self, session: &Session) -> Result<(), CallError> {
        if self.headers.is_empty() && self.offline.is_none() {
            return Ok(());
        }
        session.call(network::Enable::default()).await?;
        if !self.headers.is_empty() {
            let headers =
                self.headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
            session.call(SetExtraHttpHeaders { headers: headers.collect() }).await?;
        }
        if let Some(offline) = self.offline {
            // A throughput of -1 sets no limit.
            let conditions = EmulateNetworkConditions {
                offline,
                latency: 0.0,
                download_throughput: -1.0,
                upload_throughput: -1.0,
            };
            session.call(conditions).await?;
        }
        Ok(())
    }
}

async fn apply_screen(session: &Session, screen: Screen) -> Result<(), CallError> {
    let metrics = SetDeviceMetricsOverride {
        width: screen.width,
        height: screen.height,
        device_scale_factor: screen.scale,
        mobile: screen.mobile,
        ..SetDeviceMetricsOverride::default()
    };
    session.call(metrics).await?;
    let max_touch_points = screen.touch.then_some(5);
    session.call(SetTouchEmulationEnabled { enabled: screen.touch, max_touch_points }).await?;
    Ok(())
}

async fn permit(browser: &Browser, session: &Session, permission: &Permission) -> Result<(), CallError> {
    let setting = if permission.granted { PermissionSetting::Granted } else { PermissionSetting::Denied };
    let set = SetPermission {
        permission: PermissionDescriptor { name: permission.name.clone(), ..PermissionDescriptor::default() },
        setting,
        origin: permission.origin.as_deref(),
        browser_context_id: session.info().browser_context_id,
    };
    browser.call(set).await.map(drop)
}
