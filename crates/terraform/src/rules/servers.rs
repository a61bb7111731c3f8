//! Firewalls of database servers of Azure, which let in only the addresses that their rules name.

use super::answers::Answers;
use super::look::{Answer, look};
use super::named::{Names, SERVER};
use super::protects::{for_named, unless, which};
use super::table::Test;
use crate::graph::Built;

/// Types of servers, of the rules of their firewalls, and the argument of these that names the server.
const FIREWALLS: [(&str, &str, &str); 6] = [
    (
        "azurerm_mssql_server",
        "azurerm_mssql_firewall_rule",
        "server_id",
    ),
    (
        "azurerm_mysql_flexible_server",
        "azurerm_mysql_flexible_server_firewall_rule",
        "server_name",
    ),
    (
        "azurerm_mysql_server",
        "azurerm_mysql_firewall_rule",
        "server_name",
    ),
    (
        "azurerm_postgresql_flexible_server",
        "azurerm_postgresql_flexible_server_firewall_rule",
        "server_id",
    ),
    (
        "azurerm_postgresql_server",
        "azurerm_postgresql_firewall_rule",
        "server_name",
    ),
    (
        "azurerm_sql_server",
        "azurerm_sql_firewall_rule",
        "server_name",
    ),
];

/// Which servers let the internet in.
#[derive(Debug, Default)]
pub struct Servers {
    open: Answers,
    /// By type of server, the same of rules that may be of any server.
    stray: Answers,
}

impl Servers {
    /// All servers with rules.
    pub fn of(built: &Built, names: &Names, resources: &[(String, String)]) -> Self {
        let mut servers = Self::default();
        for (id, kind) in resources {
            let firewall = FIREWALLS.iter().find(|(_, rule, _)| rule == kind);
            let Some((server, _, path)) = firewall else {
                continue;
            };
            for values in built.instances(id).iter() {
                let open = look(values, Test::Span("start_ip_address", "end_ip_address"));
                let named = names.at(built, (id, values), path, SERVER);
                for to in &named.nodes {
                    let open = for_named(built, (id, "server"), (&named, to), open.clone());
                    servers.open.add(to, open);
                }
                if named.nodes.is_empty() {
                    let doubt = which("server", id);
                    servers.stray.add(server, unless(open, Some(doubt)));
                }
            }
        }
        servers
    }

    /// Whether the firewall of a server lets the internet in; `None` if the type has none.
    pub fn open(&self, (id, kind): (&str, &str)) -> Option<Answer> {
        let (server, ..) = FIREWALLS.iter().find(|(server, ..)| *server == kind)?;
        Some(self.open.of(id).or(self.stray.of(server)))
    }
}
