package brig.egress.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.egress.budget.Amount;
import brig.egress.budget.CallBounds;
import brig.egress.budget.LedgerLine;
import brig.egress.budget.Limit;
import brig.egress.budget.PurseSpec;
import brig.egress.confinement.SelfMeasurement;
import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EgressMessagesTest {
    private static final EgressPolicy POLICY = EgressPolicy.read(JsonObject.readCommented("""
            {"allowedHosts": ["a.example", {"host": "b.example", "methods": ["GET"]}], "dnsMode": "open", "askMs": 5,
             "secrets": {"T": {"hosts": ["a.example"], "file": "/t"}},
             "modelRoutes": {"m": {"baseUrl": "https://m.example", "secret": "T"}}}"""));

    @Test
    void shouldReadEachCommandThatItWrites() {
        EgressCommand.SentSocket socket = new EgressCommand.SentSocket(WallSocket.Role.DNS_UDP, 53);
        for (EgressCommand command : List.of(
                new EgressCommand.Configure(
                        "cert",
                        "key",
                        Map.of("a.example", List.of("10.0.0.1")),
                        List.of("root"),
                        List.of("/etc/shadow"),
                        "{}",
                        CallBounds.USUAL),
                new EgressCommand.Register(
                        "w",
                        "spn_1",
                        "shell",
                        POLICY,
                        Map.of("T", "p"),
                        List.of("c.example"),
                        List.of("d.example"),
                        List.of("U"),
                        true,
                        List.of(PurseSpec.ofSession("spn_1", new Limit(5L, null, 7L)), PurseSpec.ofDay(Limit.NONE)),
                        List.of(socket)),
                new EgressCommand.Spent(List.of(new LedgerLine.Spent("spn_1", new Amount(1, 2, 3), 4))),
                new EgressCommand.Ledger(7),
                new EgressCommand.Limit("spn_1", new Limit(null, 8L, null)),
                new EgressCommand.Secrets("w", Map.of("T", "v"), List.of("T"), 2),
                new EgressCommand.Socket("w", socket),
                new EgressCommand.Policy("w", POLICY),
                new EgressCommand.Allow("w", "a.example", true),
                new EgressCommand.Deny("w", "a.example", "a person refused it"),
                new EgressCommand.Revoke("w", "T"),
                new EgressCommand.Unregister("w"))) {
            assertEquals(command, Json.read(Json.write((Record) command), EgressCommand.class));
        }
    }

    @Test
    void shouldReadEachReportThatItWrites() {
        SelfMeasurement measured =
                new SelfMeasurement("1", "2", "", "0", "1", "2", false, true, "PWD", "1 2", List.of("/etc/shadow"));
        for (EgressReport report : List.of(
                new EgressReport.Ready(measured),
                new EgressReport.Audit(AuditLine.lost(1, 2)),
                new EgressReport.Event("w", new EgressEvent.Answered("a.example", 443, true, "a person allowed it")),
                new EgressReport.LoginRefused("w", "T", true, 3),
                new EgressReport.Unregistered("w"),
                new EgressReport.LedgerBegun(7),
                new EgressReport.LedgerFull(),
                new EgressReport.Lost(EgressReport.Kind.AUDIT, 4))) {
            assertEquals(report, Json.read(Json.write((Record) report), EgressReport.class));
        }
    }

    /** A property that was not measured must not count as good. */
    @Test
    void shouldTellWhatWasNotMeasuredFromWhatWasFound() {
        String whole =
                "{\"type\":\"ready\",\"measured\":{\"users\":\"\",\"groups\":\"\",\"supplementary\":\"\",\"capabilities\":\"\","
                        + "\"noNewPrivileges\":\"\",\"seccomp\":\"\",\"environment\":\"\",\"processes\":\"\"}}";
        SelfMeasurement measured =
                ((EgressReport.Ready) Json.read(whole.getBytes(UTF_8), EgressReport.class)).measured();
        assertNull(measured.startsPrograms());
        assertNull(measured.makesLocalSockets());
        assertNull(measured.sees());
        byte[] without = whole.replace("\"seccomp\":\"\",", "").getBytes(UTF_8);
        assertThrows(BrigException.class, () -> Json.read(without, EgressReport.class));
    }
}
