package brig.gateway.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import brig.gateway.http.ApiDocuments;
import brig.gateway.http.Route;
import brig.protocol.api.Answers;
import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import brig.protocol.api.AuditPage;
import brig.protocol.api.ClusterView;
import brig.protocol.api.CostList;
import brig.protocol.api.GatewayView;
import brig.protocol.api.HostView;
import brig.protocol.api.PruneAnswer;
import brig.protocol.api.SandboxView;
import brig.protocol.api.SessionChange;
import brig.protocol.api.SessionList;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnList;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TokenView;
import brig.protocol.api.TreeView;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.Posture;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.refusal.ErrorAnswer;
import brig.protocol.refusal.NotReady;
import brig.protocol.refusal.ProblemDetails;
import brig.protocol.spawn.SpawnRequest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The records of the operations and the documents say the same: a field that only one of them has fails here. */
class ApiRecordsTest {
    /** Where {@code answer.json} has each answer of the spawner socket. */
    private static final Map<String, Class<?>> ANSWERS = Map.ofEntries(
            Map.entry("spawned", SpawnAnswer.class),
            Map.entry("tracked", Answers.Tracked.class),
            Map.entry("view", SpawnView.class),
            Map.entry("spawns", SpawnList.class),
            Map.entry("sessions", SessionList.class),
            Map.entry("agents", HelloAnswer.class),
            Map.entry("doctor", DoctorAnswer.class),
            Map.entry("hosts", HostView.HostList.class),
            Map.entry("cluster", ClusterView.class),
            Map.entry("host", HostView.class),
            Map.entry("routeTested", TestRouteAnswer.class),
            Map.entry("images", ImagesAnswer.class),
            Map.entry("sandboxes", SandboxView.SandboxList.class),
            Map.entry("image", ImagesAnswer.Image.class),
            Map.entry("keptRoot", WorkspacesAnswer.KeptRoot.class),
            Map.entry("gateway", GatewayView.class),
            Map.entry("pruned", PruneAnswer.class),
            Map.entry("posture", Posture.class),
            Map.entry("asks", AskList.class),
            Map.entry("answered", AskAnswer.class),
            Map.entry("diff", DiffAnswer.class),
            Map.entry("applied", ApplyAnswer.class),
            Map.entry("checkpointTaken", CheckpointAnswer.class),
            Map.entry("checkpoints", CheckpointsAnswer.class),
            Map.entry("workspaces", WorkspacesAnswer.class),
            Map.entry("discarded", DiscardAnswer.class),
            Map.entry("tree", TreeView.class),
            Map.entry("egress", EgressAnswer.class),
            Map.entry("egressDecided", EgressDecided.class),
            Map.entry("audit", AuditPage.class),
            Map.entry("costs", CostList.class),
            Map.entry("port", Answers.Port.class),
            Map.entry("shell", Answers.Shell.class),
            Map.entry("minted", TokenView.Minted.class),
            Map.entry("tokens", TokenView.TokenList.class),
            Map.entry("token", TokenView.class),
            Map.entry("opened", TokenView.Opened.class));

    /** What is there only once the worker runs, or only in lists. */
    private static final Set<String> DEPENDS = Set.of(
            "spawn.workspace: may be left out, and the schema needs it",
            "fork.workspace: may be left out, and the schema needs it",
            "spawned.workspace: may be left out, and the schema needs it",
            "sessions.sessions[].status: may be left out, and the schema needs it",
            "sessions_changed.sessions[].status: may be left out, and the schema needs it",
            "listSessions.sessions[].status: may be left out, and the schema needs it");

    /**
     * Differences of requests in OpenAI's form. The handler refuses what is missing, by its name. Chat messages have no
     * type, but share their record with the items of the other request.
     */
    private static final Set<String> AS_OPENAI_REFUSES = Set.of(
            "modelChat: the record needs [], the schema [messages, model]",
            "modelChat.messages[].call_id: only in the record",
            "modelChat.messages[].type: only in the record",
            "modelChat.messages[].output: only in the record",
            "modelRespond: the record needs [], the schema [input, model]");

    private final JsonNode openApi = bundle("openapi");
    private final JsonNode asyncApi = bundle("asyncapi");

    private static JsonNode bundle(String name) {
        try {
            return new ObjectMapper().readTree(ApiDocuments.bundle(name).getBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode resolved(JsonNode document, JsonNode node) {
        JsonNode at = node;
        while (at.has("$ref")) {
            at = document.at(at.path("$ref").asText().substring(1));
        }
        return at;
    }

    private RecordSchema schemas(JsonNode document) {
        return new RecordSchema(node -> resolved(document, node));
    }

    private JsonNode schema(String name) {
        return asyncApi.path("components").path("schemas").path(name);
    }

    private JsonNode described(Route route) {
        String path = route.path().replaceAll(":(\\w+)", "{$1}").replace("*", "{path}");
        return openApi.path("paths").path(path).path(route.method().name().toLowerCase(Locale.ROOT));
    }

    @Test
    void shouldAskForTheSameOverHttpAsTheDocument() {
        RecordSchema schemas = schemas(openApi);
        for (Operation<?, ?> operation : Operations.ALL) {
            Route route = operation.route();
            if (route == null) {
                continue;
            }
            Map<String, RecordSchema.Field> fields = RecordSchema.fields(operation.in());
            Set<String> outside = new TreeSet<>(Route.variables(route.path()));
            if (route.path().endsWith("*")) {
                outside.add("path");
            }
            outside.addAll(route.query());
            JsonNode described = described(route);
            Map<String, JsonNode> parameters = new LinkedHashMap<>();
            for (JsonNode parameter : described.path("parameters")) {
                if (!parameter.path("in").asText().equals("header")) {
                    parameters.put(parameter.path("name").asText(), parameter.path("schema"));
                }
            }
            assertEquals(outside, parameters.keySet(), operation::id);
            if (route.takesBody()) {
                JsonNode body = described.at("/requestBody/content/application~1json/schema");
                schemas.compareRequest(operation.id(), operation.in(), body, outside);
            } else {
                assertEquals(outside, fields.keySet(), operation::id);
            }
        }
        assertEquals(AS_OPENAI_REFUSES, Set.copyOf(schemas.faults()));
    }

    @Test
    void shouldAnswerTheSameOverHttpAsTheDocument() {
        RecordSchema schemas = schemas(openApi);
        int compared = 0;
        for (Operation<?, ?> operation : Operations.ALL) {
            Route route = operation.route();
            Class<?> out = operation.out();
            if (route != null && out != null && !out.isAnnotationPresent(Foreign.class)) {
                JsonNode answer = described(route)
                        .path("responses")
                        .path(String.valueOf(operation.status()))
                        .at("/content/application~1json/schema");
                assertFalse(answer.isMissingNode(), operation::id);
                schemas.compareAnswer(operation.id(), out, answer);
                compared++;
            }
        }
        schemas.faults().removeAll(DEPENDS);
        assertEquals(List.of(), schemas.faults());
        assertFalse(compared < 30);
    }

    /** The definition in {@code request.json} of the action of that record. */
    private JsonNode definition(String action) {
        for (JsonNode definition : schema("request").path("$defs")) {
            JsonNode names = definition.at("/properties/action");
            boolean listed = names.path("const").asText().equals(action);
            for (JsonNode name : names.path("enum")) {
                listed |= name.asText().equals(action);
            }
            if (listed) {
                return definition;
            }
        }
        return MissingNode.getInstance();
    }

    /** The name of an action. */
    static String action(Class<?> request) {
        Name given = request.getAnnotation(Name.class);
        return given != null
                ? given.value()
                : request.getSimpleName().replaceAll("(?<=.)([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    @Test
    void shouldHaveAnActionInTheTableForEveryRequestOnTheSpawnerSocket() {
        Set<Class<?>> requests = Set.of(SpawnerRequest.class.getPermittedSubclasses());
        Set<Class<?>> actions = Operations.ALL.stream()
                .filter(operation -> operation.socketWho() != null)
                .map(Operation::in)
                .collect(Collectors.toSet());
        assertEquals(requests, actions);
    }

    @Test
    void shouldAskForTheSameOnTheSpawnerSocketAsTheSchema() {
        RecordSchema schemas = schemas(asyncApi);
        Set<String> described = new TreeSet<>();
        schema("request").path("$defs").forEach(definition -> {
            JsonNode names = definition.at("/properties/action");
            names.path("enum").forEach(name -> described.add(name.asText()));
            if (names.has("const")) {
                described.add(names.path("const").asText());
            }
        });
        Set<String> actions = new TreeSet<>();
        for (Class<?> request : SpawnerRequest.class.getPermittedSubclasses()) {
            String action = action(request);
            actions.add(action);
            boolean named = Arrays.stream(request.getRecordComponents())
                    .anyMatch(component -> component.getAccessor().getName().equals("id")
                            && component.isAnnotationPresent(Name.class));
            // One of the names is needed, which the schema says in another way.
            Set<String> beside = named ? Set.of("action", "id", "task_id", "spawn_id", "session_id") : Set.of("action");
            JsonNode definition = definition(action);
            schemas.compareRequest(action, request, definition, beside);
            if (named) {
                assertEquals(
                        true,
                        schemas.properties(definition).keySet().containsAll(beside),
                        () -> action + " takes all names of a session");
            }
        }
        assertEquals(List.of(), schemas.faults());
        assertEquals(actions, described);
    }

    @Test
    void shouldAnswerTheSameOnTheSpawnerSocketAsTheSchema() {
        RecordSchema schemas = schemas(asyncApi);
        ANSWERS.forEach((name, record) -> {
            JsonNode definition = schema("answer").path("$defs").path(name);
            assertFalse(definition.isMissingNode(), name);
            schemas.compareAnswer(name, record, definition);
        });
        schemas.faults().removeAll(DEPENDS);
        assertEquals(List.of(), schemas.faults());
        Set<Class<?>> described = Set.copyOf(ANSWERS.values());
        for (Operation<?, ?> operation : Operations.ALL) {
            Class<?> out = operation.out();
            if (operation.socketWho() != null && out != null && out != Record.class) {
                assertEquals(true, described.contains(out), operation::id);
            }
        }
        Set<String> there = new TreeSet<>();
        schema("answer").path("anyOf").forEach(kind -> {
            String ref = kind.path("$ref").asText();
            there.add(ref.substring(ref.lastIndexOf('/') + 1));
        });
        there.removeAll(Set.of("error", "requested"));
        assertEquals(new TreeSet<>(ANSWERS.keySet()), there);
    }

    @Test
    void shouldRefuseInTheSameWordsAsTheSchemas() {
        RecordSchema schemas = schemas(openApi);
        JsonNode components = openApi.path("components").path("schemas");
        schemas.compareAnswer("problem", ProblemDetails.class, components.path("problem"));
        schemas.compareAnswer("waiting", NotReady.class, components.path("waiting"));
        assertEquals(List.of(), schemas.faults());
        RecordSchema lines = schemas(asyncApi);
        lines.compareAnswer("error", ErrorAnswer.class, schema("error"));
        JsonNode asks = schema("asks").path("$defs");
        lines.compareAnswer("asks", AskChange.Asks.class, asks.path("asks"));
        lines.compareAnswer("ask", AskChange.Ask.class, asks.path("ask"));
        lines.compareAnswer("answered", AskChange.Answered.class, asks.path("answered"));
        JsonNode sessions = schema("sessions").path("$defs");
        lines.compareAnswer("sessions", SessionChange.Sessions.class, sessions.path("sessions"));
        lines.compareAnswer("sessions_changed", SessionChange.SessionsChanged.class, sessions.path("sessionsChanged"));
        // Only who leaves a connection is told where to resume.
        lines.faults().removeIf(fault -> fault.matches("error\\.(epoch|from|id): only in the schema"));
        // The tag is of the sealed type. A reason is always written; only a newer one is not known.
        lines.faults().removeIf(fault -> fault.startsWith("answered.reason: may be left out"));
        lines.faults()
                .removeIf(fault ->
                        fault.matches("(asks|ask|answered|sessions|sessions_changed)\\.type: only in the schema"));
        lines.faults().removeAll(DEPENDS);
        assertEquals(List.of(), lines.faults());
    }

    @Test
    void shouldReadTheSameRequestForASpawnAsTheSchema() {
        RecordSchema schemas = schemas(openApi);
        JsonNode spawn = openApi.path("components").path("schemas").path("spawn");
        schemas.compareRequest("spawn", SpawnRequest.class, spawn, Set.of("client"));
        assertEquals(List.of(), schemas.faults());
    }
}
