//! What `deploy/` has for systemd and Kubernetes: their own tools accept it, the binary knows each setting and each path that it
//! names, it agrees with docs/operating.md, and what it starts answers and stops.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Failed, Trial};
use serde::Deserialize as _;
use serde_json::Value;
use tempfile::TempDir;

use crate::prerequisites::{Need, trial};
use crate::process::{Process, command};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const UNIT: &str = "deploy/systemd/trestle.service";
/// Where the unit and the image have the binary.
const BINARY: &str = "/usr/local/bin/trestle";
/// The user of the image, as the Dockerfile has it.
const USER: u64 = 65532;

pub fn trials() -> Vec<Trial> {
    let systemd = [Need::Program("systemd-analyze")];
    let schemas = [Need::Program("kubernetes-validate")];
    vec![
        trial(
            "deployment_systemd_accepts_the_unit",
            &systemd,
            unit_is_accepted,
        ),
        trial("deployment_systemd_unit_starts", &[], || run(unit_starts())),
        trial(
            "deployment_kubernetes_accepts_the_manifests",
            &schemas,
            manifests_are_accepted,
        ),
        trial("deployment_kubernetes_manifests_start", &[], || {
            run(manifests_start())
        }),
    ]
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(test)
}

fn read(path: &str) -> Result<String, Failed> {
    Ok(fs::read_to_string(Path::new(ROOT).join(path))?)
}

fn succeeded(output: &Output) -> Result<(), Failed> {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    if output.status.success() && err.trim().is_empty() {
        return Ok(());
    }
    Err(format!("{out}{err}").into())
}

/// The unit as systemd reads it on a machine that has the binary.
fn unit_is_accepted() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let unit = folder.path().join("trestle.service");
    fs::write(
        &unit,
        read(UNIT)?.replace(BINARY, env!("CARGO_BIN_EXE_trestle")),
    )?;
    let analyze = |arguments: &[&str]| {
        Command::new("systemd-analyze")
            .args(arguments)
            .arg(&unit)
            .output()
    };
    succeeded(&analyze(&["verify"])?)?;
    // 10 is a service that may do everything; systemd calls less than 2 "OK".
    succeeded(&analyze(&["security", "--offline=true", "--threshold=20"])?)
}

/// The values of a setting of the unit.
fn settings<'a>(unit: &'a str, name: &str) -> Vec<&'a str> {
    let lines = unit.lines().filter_map(|line| line.split_once('='));
    lines
        .filter(|(found, _)| *found == name)
        .map(|(_, value)| value)
        .collect()
}

/// The environment that a deployment gives, which `serve` must know.
type Environment = BTreeMap<String, String>;

async fn unit_starts() -> Result<(), Failed> {
    let unit = read(UNIT)?;
    let variables = settings(&unit, "Environment").into_iter();
    let environment: Environment = variables
        .filter_map(|variable| variable.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert_eq!(settings(&unit, "MemoryMax"), ["1G"]);
    let [start] = settings(&unit, "ExecStart")[..] else {
        return Err("the unit starts one command".into());
    };
    let arguments = start
        .strip_prefix(BINARY)
        .ok_or("the unit starts another program")?;
    let [stop] = settings(&unit, "TimeoutStopSec")[..] else {
        return Err("the unit has no TimeoutStopSec".into());
    };
    let deployment = Deployment {
        arguments: arguments.split_whitespace().map(str::to_owned).collect(),
        environment,
        memory: "1 GiB".to_owned(),
        stop_within: stop.parse()?,
        probes: vec!["/readyz".to_owned()],
    };
    deployment.starts().await
}

/// What a deployment says of one server.
struct Deployment {
    arguments: Vec<String>,
    environment: Environment,
    memory: String,
    /// Seconds until the process is killed.
    stop_within: u64,
    probes: Vec<String>,
}

/// Seconds of a time such as `20s`.
fn seconds(time: &str) -> Result<u64, Failed> {
    let number = time
        .strip_suffix('s')
        .ok_or_else(|| format!("{time} is not in seconds"))?;
    Ok(number.parse()?)
}

impl Deployment {
    async fn starts(&self) -> Result<(), Failed> {
        self.agrees_with_the_binary().await?;
        self.agrees_with_the_page()?;
        self.answers_and_stops().await
    }

    /// Every setting is one of `serve`, and the process is not killed while it drains.
    async fn agrees_with_the_binary(&self) -> Result<(), Failed> {
        let arguments: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        let help = command(&[&arguments[..], &["--help"]].concat())
            .output()
            .await?;
        let help = String::from_utf8(help.stdout)?;
        for name in self.environment.keys() {
            if !name.starts_with("AWS_") && !help.contains(&format!("[env: {name}")) {
                return Err(format!("serve has no setting {name}").into());
            }
        }
        let value_of = |name: &str| {
            if let Some(given) = self.environment.get(name) {
                return Ok(given.clone());
            }
            let default = help
                .split_once(&format!("[env: {name}=]"))
                .and_then(|(_, rest)| {
                    let (_, rest) = rest.split_once("[default: ")?;
                    Some(rest.split_once(']')?.0.to_owned())
                });
            default.ok_or_else(|| Failed::from(format!("{name} has no default")))
        };
        let drain = seconds(&value_of("TRESTLE_DRAIN_GRACE")?)?
            + seconds(&value_of("TRESTLE_DRAIN_TIMEOUT")?)?;
        assert!(self.stop_within > drain, "it drains for {drain} s");
        Ok(())
    }

    /// The page says how much memory a server needs.
    fn agrees_with_the_page(&self) -> Result<(), Failed> {
        let page = read("docs/operating.md")?;
        let (_, section) = page
            .split_once("\n## Memory\n")
            .ok_or("operating.md has no Memory")?;
        let section = section.split("\n## ").next().unwrap_or(section);
        assert!(
            section.contains(&self.memory),
            "{} is not what operating.md says",
            self.memory
        );
        Ok(())
    }

    /// The server with these settings, at a free port and in a folder of its own, from its first probe until it has stopped.
    async fn answers_and_stops(&self) -> Result<(), Failed> {
        let folder = TempDir::new()?;
        let line = command(&["api-key", "me", "--access", "write"])
            .output()
            .await?;
        let mut variables = Vec::new();
        for (name, value) in &self.environment {
            let mut value = value.clone();
            if let Some(within) = value.strip_prefix('/') {
                let path: PathBuf = folder.path().join(within);
                fs::create_dir_all(path.parent().ok_or("a path without a folder")?)?;
                if name == "TRESTLE_API_KEYS" {
                    fs::write(&path, &line.stdout)?;
                }
                value = path.to_str().ok_or("a path that is no text")?.to_owned();
            }
            variables.push((name.clone(), value));
        }
        // DynamoDB is not here, so its servers get a store in memory.
        let arguments = self.arguments.iter().map(String::as_str);
        let mut arguments: Vec<_> = arguments
            .map(|word| if word == "--aws" { "--memory" } else { word })
            .collect();
        // No cluster sends requests for a while after the signal.
        arguments.extend(["--listen", "127.0.0.1:0", "--drain-grace", "0s"]);
        let mut server = command(&arguments);
        server.envs(variables).current_dir(folder.path());
        let server = Process::run(server).await;
        for path in &self.probes {
            let answer = server.get(path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        }
        let without_key = server.query("{ __typename }").await;
        assert_eq!(without_key.status, 401, "{}", without_key.text);
        let ended = server.stop().await;
        assert!(ended.success, "{}", ended.log);
        Ok(())
    }
}

/// Every manifest of the folder.
fn manifests() -> Result<Vec<PathBuf>, Failed> {
    let folder = Path::new(ROOT).join("deploy/kubernetes");
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

/// By the schemas that Kubernetes publishes, without unknown properties.
fn manifests_are_accepted() -> Result<(), Failed> {
    let output = Command::new("kubernetes-validate")
        .args(["--strict", "--quiet"])
        .args(manifests()?)
        .output()?;
    succeeded(&output)
}

/// The texts under a name of each object of a list.
fn texts<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item[name].as_str()).collect()
}

async fn manifests_start() -> Result<(), Failed> {
    let mut servers = 0;
    for path in manifests()? {
        let file = fs::read_to_string(&path)?;
        for document in serde_yaml_ng::Deserializer::from_str(&file) {
            let resource = Value::deserialize(document)?;
            let pod = &resource["spec"]["template"]["spec"];
            if pod.is_null() {
                continue;
            }
            pod_starts(&resource, pod).await.map_err(|failed| {
                format!(
                    "{}: {}",
                    path.display(),
                    failed.message().unwrap_or_default()
                )
            })?;
            servers += 1;
        }
    }
    assert!(servers >= 2, "{servers} manifests start servers");
    Ok(())
}

async fn pod_starts(resource: &Value, pod: &Value) -> Result<(), Failed> {
    let container = &pod["containers"][0];
    assert_eq!(
        pod["securityContext"]["runAsUser"], USER,
        "the user of the image"
    );
    assert!(read("Dockerfile")?.contains(&format!("USER {USER}:{USER}")));
    // What is mounted is there.
    let claims = resource["spec"]["volumeClaimTemplates"]
        .as_array()
        .into_iter()
        .flatten();
    let mut volumes = texts(&pod["volumes"], "name");
    volumes.extend(claims.filter_map(|claim| claim["metadata"]["name"].as_str()));
    let mut mounted = texts(&container["volumeMounts"], "name");
    volumes.sort_unstable();
    mounted.sort_unstable();
    assert_eq!(mounted, volumes);
    // Every path of a setting is in a volume.
    let mounts = texts(&container["volumeMounts"], "mountPath");
    let names = texts(&container["env"], "name");
    let values = texts(&container["env"], "value");
    assert_eq!(names.len(), values.len());
    for value in values.iter().filter(|value| value.starts_with('/')) {
        assert!(
            mounts.iter().any(|mount| value.starts_with(mount)),
            "{value} is not mounted"
        );
    }
    let ports = container["ports"][0]["containerPort"].to_string();
    let listen = names
        .iter()
        .zip(&values)
        .find(|(name, _)| **name == "TRESTLE_LISTEN");
    assert!(listen.is_some_and(|(_, address)| address.ends_with(&format!(":{ports}"))));
    let probes = ["startupProbe", "readinessProbe", "livenessProbe"];
    let mut paths = Vec::new();
    for probe in probes {
        let path = container[probe]["httpGet"]["path"].as_str();
        paths.push(
            path.ok_or_else(|| format!("{probe} asks for no path"))?
                .to_owned(),
        );
    }
    let memory = container["resources"]["limits"]["memory"].as_str();
    let memory = memory.and_then(|limit| limit.strip_suffix("Gi"));
    let memory = memory.ok_or("the memory has no limit in Gi")?;
    let arguments = container["args"].as_array().into_iter().flatten();
    let deployment = Deployment {
        arguments: arguments
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        environment: names
            .into_iter()
            .zip(values)
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        memory: format!("{memory} GiB"),
        stop_within: pod["terminationGracePeriodSeconds"]
            .as_u64()
            .ok_or("no grace period")?,
        probes: paths,
    };
    deployment.starts().await
}
