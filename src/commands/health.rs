//! `trestle health`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use trestle_service::flags::address;

use trestle_service::Failure;

/// Which server to ask.
#[derive(Args, Clone, Debug)]
pub struct HealthArgs {
    /// Address and port that the server listens on
    #[arg(
        long,
        env = "TRESTLE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8000",
        value_parser = address
    )]
    listen: SocketAddr,
}

/// How long the server may take.
const LIMIT: Duration = Duration::from_secs(2);

/// Succeeds if the server answers that it is alive.
pub async fn run(args: &HealthArgs) -> Result<ExitCode, Failure> {
    let mut address = args.listen;
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(LIMIT)
        .build()?;
    let answer = client.get(format!("http://{address}/livez")).send().await?;
    answer.error_for_status()?;
    Ok(ExitCode::SUCCESS)
}
