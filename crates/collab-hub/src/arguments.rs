//! The options of collab-hub.

use clap::Args;

use super::member::Settings;
use super::subscriptions::webhook::Secret;

/// How collab-hub is set up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "collab-hub")]
pub struct CollabHubArgs {
    /// Signing secret of the Stripe webhook endpoint, `whsec_...`. Without it, /collab-hub/webhooks/stripe answers 404
    #[arg(
        long = "stripe-webhook-secret",
        env = "TRESTLE_STRIPE_WEBHOOK_SECRET",
        value_name = "SECRET",
        hide_env_values = true,
        value_parser = secret
    )]
    stripe_webhook_secret: Option<Secret>,

    /// Show startups with the visibility INVESTORS_ONLY only to investors whom an admin has approved (`approveInvestor`)
    #[arg(
        long = "collab-hub-approve-investors",
        env = "TRESTLE_COLLAB_HUB_APPROVE_INVESTORS"
    )]
    approve_investors: bool,
}

fn secret(text: &str) -> Result<Secret, String> {
    match text.trim() {
        "" => Err("must not be empty".to_owned()),
        text => Ok(Secret::new(text)),
    }
}

impl CollabHubArgs {
    /// The settings that authorization reads.
    pub fn settings(&self) -> Settings {
        Settings {
            must_approve_investors: self.approve_investors,
        }
    }

    /// The webhook's secret.
    pub fn stripe_secret(&self) -> Option<Secret> {
        self.stripe_webhook_secret.clone()
    }
}
