package brig.workeragent.handover;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.secret.SecretFeed;
import brig.egress.secret.SecretSources;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.TransferRequest;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.ModelRoutes;
import brig.workeragent.profile.MountRules;
import brig.workeragent.profile.Policies;
import brig.workeragent.profile.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What home gives for a worker on another host. */
class HandoversTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";

    @TempDir
    Path folder;

    private Handovers handovers;

    @BeforeEach
    void open() throws IOException {
        Path agents = Files.createDirectory(folder.resolve("agents"));
        Path policies = Files.createDirectory(folder.resolve("policies"));
        Path routes = Files.createDirectory(folder.resolve("routes"));
        Files.writeString(agents.resolve("mine.json"), """
                {"description": "d", "command": ["p", "-m", "{model}"], "policy": "mine", "models": ["one"]}
                """);
        Files.writeString(agents.resolve("bare.json"), """
                {"description": "d", "command": ["p"], "policy": "mine"}
                """);
        Files.writeString(policies.resolve("mine.json"), """
                // A mount that this host has not.
                {"description": "d", "mounts": {"/workspace": {"hostPath": ".", "readonly": false},
                 "/data": {"hostPath": "/srv/there/alone", "readonly": true}}, "environment": ["PATH"],
                 "privateFiles": [".env"], "memoryBytesMax": 33554432,
                 "egress": {"allowedHosts": ["a.test", {"host": "b.test", "methods": ["GET"]}],
                  "secrets": {"TOKEN": {"hosts": ["a.test"], "envVar": "SOURCE"}, "LOST": {"hosts": ["a.test"]}}}}
                """);
        for (String name : List.of("one", "two")) {
            Files.writeString(routes.resolve(name + ".json"), """
                    {"secrets": {"KEY_%1$s": {"envVar": "SOURCE_%1$s"}},
                     "modelRoutes": {"%1$s": {"baseUrl": "https://%1$s.test", "secret": "KEY_%1$s"}}}
                    """.formatted(name));
        }
        SecretSources sources = new SecretSources(
                Map.of(
                        "SOURCE",
                        "value-of-token",
                        "SOURCE_one",
                        "value-of-one",
                        "SOURCE_two",
                        "value-of-two",
                        "OTHER",
                        "value-of-none"),
                login -> "");
        handovers = new Handovers(new Handovers.Services(
                new AgentProfiles(
                        List.of(agents), new AgentProfiles.Names("", Map.of("alias", "mine"), Map.of("mine", "m"))),
                new Policies(
                        List.of(policies),
                        new MountRules(List.of(), List.of(), List.of(), -1),
                        List.of(),
                        new ModelRoutes(routes)),
                () -> new SecretFeed(sources)));
    }

    private static SpawnRequest request(String agent) {
        return Json.read(("{\"agent_config\":{\"name\":\"" + agent + "\"}}").getBytes(UTF_8), SpawnRequest.class);
    }

    private String give(String agent, boolean network) {
        return new String(handovers.give(new TransferRequest.HandOver(ID, request(agent), network)), UTF_8);
    }

    private static Handover read(String handover) {
        return Json.read(handover.getBytes(UTF_8), Handover.class);
    }

    @Test
    void shouldGiveWhatTheSpawnNeedsAndNothingElse() {
        String given = give("alias", true);
        Handover handover = read(given);
        assertEquals("mine", handover.agent());
        assertEquals("m", handover.usualModel());
        assertEquals("mine", handover.policyName());
        assertEquals(Map.of("TOKEN", "value-of-token", "KEY_one", "value-of-one"), handover.secrets());
        assertEquals(Set.of("one"), handover.policy().egress().modelRoutes().keySet());
        assertEquals(
                List.of("a.test"),
                handover.policy().egress().secrets().get("TOKEN").hosts());
        assertEquals(33_554_432, handover.policy().memoryBytesMax());
        for (String source : List.of("SOURCE", "KEY_two", "value-of-none")) {
            assertFalse(given.contains(source), given);
        }
        assertEquals(Set.of("TOKEN"), read(give("bare", true)).secrets().keySet());
    }

    @Test
    void shouldGiveNothingOfTheNetworkThatHomeServes() {
        String given = give("mine", false);
        assertEquals(Map.of(), read(given).secrets());
        assertFalse(read(given).policy().egress().isOpen());
        for (String part : List.of("value-of", "a.test", "b.test", "TOKEN", "KEY")) {
            assertFalse(given.contains(part), given);
        }
    }

    @Test
    void shouldRefuseWhatASpawnHereWouldBeRefusedFor() throws IOException {
        handovers.check(request("mine"));
        assertEquals(
                ErrorCode.UNKNOWN_AGENT,
                assertThrows(BrigException.class, () -> handovers.check(request("none")))
                        .code());
        Files.delete(folder.resolve("routes/one.json"));
        assertEquals(
                ErrorCode.MODEL_ROUTE_MISSING,
                assertThrows(BrigException.class, () -> handovers.check(request("mine")))
                        .code());
        Files.writeString(folder.resolve("policies/mine.json"), "{}");
        assertEquals(
                ErrorCode.INVALID_POLICY,
                assertThrows(BrigException.class, () -> give("bare", true)).code());
    }

    @Test
    void shouldReadEveryShippedFileAsItWasWritten() throws IOException {
        for (Path file : files("agents")) {
            AgentProfile profile =
                    JsonObject.readCommented(Files.readString(file)).as(AgentProfile.class);
            assertEquals(profile, Json.read(Json.write(profile), AgentProfile.class), file::toString);
        }
        for (Path file : files("policies")) {
            Policy policy = JsonObject.readCommented(Files.readString(file)).as(Policy.class);
            assertEquals(policy, Json.read(Json.write(policy), Policy.class), file::toString);
        }
    }

    private static List<Path> files(String kind) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("../config").resolve(kind))) {
            List<Path> files = all.filter(file -> file.toString().endsWith(".json")
                            && !file.toString().endsWith(".schema.json"))
                    .toList();
            assertTrue(files.size() > 2);
            return files;
        }
    }
}
