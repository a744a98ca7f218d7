package brig.gateway.api;

import brig.gateway.resources.AskCalls;
import brig.gateway.resources.AuditCalls;
import brig.gateway.resources.ClusterCalls;
import brig.gateway.resources.EgressCalls;
import brig.gateway.resources.EventCalls;
import brig.gateway.resources.FollowCalls;
import brig.gateway.resources.HostCalls;
import brig.gateway.resources.LinkCalls;
import brig.gateway.resources.OidcCalls;
import brig.gateway.resources.OperatorCalls;
import brig.gateway.resources.SandboxCalls;
import brig.gateway.resources.SessionCalls;
import brig.gateway.resources.SignInCalls;
import brig.gateway.resources.SpawnCalls;
import brig.gateway.resources.TokenCalls;

/** The implementations of the operations. */
public record Calls(
        SpawnCalls spawns,
        SessionCalls sessions,
        EventCalls events,
        TokenCalls tokens,
        SignInCalls signIn,
        OidcCalls oidc,
        EgressCalls egress,
        AskCalls asks,
        LinkCalls links,
        FollowCalls follow,
        AuditCalls audit,
        OperatorCalls operator,
        HostCalls hosts,
        SandboxCalls sandboxes,
        ClusterCalls cluster) {}
