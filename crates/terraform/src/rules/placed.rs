//! Where the arguments of services in a network are.

/// A type of service in a network: where its arguments are.
pub struct Placed {
    /// The type.
    pub kind: &'static str,
    /// Whether it has a public address.
    pub address: &'static str,
    /// Its security groups.
    pub groups: &'static [&'static str],
    /// Its subnet, which decides if the address is left out; without one it has none.
    pub subnet: Option<&'static str>,
}

/// Services in a network.
pub const PLACED: [Placed; 3] = [
    Placed {
        kind: "aws_ecs_service",
        address: "network_configuration.assign_public_ip",
        groups: &["network_configuration.security_groups"],
        subnet: None,
    },
    Placed {
        kind: "aws_instance",
        address: "associate_public_ip_address",
        groups: &["vpc_security_group_ids", "security_groups"],
        subnet: Some("subnet_id"),
    },
    Placed {
        kind: "aws_spot_instance_request",
        address: "associate_public_ip_address",
        groups: &["vpc_security_group_ids", "security_groups"],
        subnet: Some("subnet_id"),
    },
];
