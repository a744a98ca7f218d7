package brig.gateway.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.http.ApiDocuments;
import brig.gateway.http.Route;
import brig.gateway.http.Who;
import brig.protocol.ErrorCode;
import brig.protocol.wire.FrameType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The documents that the gateway serves describe the table of operations: all of it, and nothing else. */
class ApiDocumentsTest {
    /** Codes that only sockets use. */
    private static final Set<ErrorCode> NOT_OVER_HTTP = Set.of(
            ErrorCode.UNKNOWN_ACTION,
            ErrorCode.INVALID_IMAGE,
            ErrorCode.IMAGE_IN_USE,
            ErrorCode.AUTH_TIMEOUT,
            ErrorCode.TURN_TIMEOUT,
            ErrorCode.SERVICE_FAILED,
            ErrorCode.PREPARATION_FAILED,
            ErrorCode.LOGIN_REFUSED,
            ErrorCode.SLOW_READER,
            ErrorCode.MAX_ASKS,
            ErrorCode.LINK_FENCED,
            ErrorCode.ALREADY_RUNNING);

    private static final List<Operation<?, ?>> OVER_HTTP = Operations.ALL.stream()
            .filter(operation -> operation.route() != null)
            .toList();

    private final JsonNode openApi = read("openapi");
    private final JsonNode asyncApi = read("asyncapi");

    private static JsonNode read(String name) {
        try {
            return new ObjectMapper().readTree(ApiDocuments.bundle(name).getBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<JsonNode> each(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static Route route(Operation<?, ?> operation) {
        return Objects.requireNonNull(operation.route());
    }

    private static String path(Operation<?, ?> operation) {
        return route(operation).path().replaceAll(":(\\w+)", "{$1}").replace("*", "{path}");
    }

    private JsonNode described(Operation<?, ?> operation) {
        return openApi.path("paths")
                .path(path(operation))
                .path(route(operation).method().name().toLowerCase(Locale.ROOT));
    }

    @Test
    void shouldDescribeEveryOperationAndNoOther() {
        Map<String, String> described = new TreeMap<>();
        openApi.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(method -> described.put(
                                method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
                                method.getValue().path("operationId").asText())));
        Map<String, String> there = new TreeMap<>();
        for (Operation<?, ?> operation : OVER_HTTP) {
            Route route = route(operation);
            there.put(route.method() + " " + path(operation), operation.id());
        }
        assertEquals(there, described);
    }

    @Test
    void shouldNameTheParametersAndBodiesThatAreRead() {
        for (Operation<?, ?> operation : OVER_HTTP) {
            Route route = route(operation);
            JsonNode described = described(operation);
            Map<String, Set<String>> parameters = each(described.path("parameters"))
                    .collect(Collectors.groupingBy(
                            one -> one.path("in").asText(),
                            Collectors.mapping(
                                    one -> one.path("name").asText(), Collectors.toCollection(TreeSet::new))));
            assertEquals(new TreeSet<>(route.query()), parameters.getOrDefault("query", Set.of()), operation::id);
            assertEquals(path(operation).contains("{"), parameters.containsKey("path"), operation::id);
            assertEquals(route.takesBody(), described.has("requestBody"), operation::id);
        }
    }

    @Test
    void shouldSayWhatNeedsATokenAndWhatTakesATicket() {
        for (Operation<?, ?> operation : OVER_HTTP) {
            Route route = route(operation);
            List<String> ways = new ArrayList<>();
            each(described(operation).path("security"))
                    .forEach(way ->
                            ways.add(way.isEmpty() ? "none" : way.fieldNames().next()));
            boolean open = route.who() == Who.ANYBODY;
            assertEquals(open, ways.isEmpty() || ways.contains("none"), operation::id);
            assertEquals(route.takesTicket(), ways.contains("ticket"), operation::id);
            assertEquals(!open || route.takesTicket(), ways.contains("bearer"), operation::id);
        }
    }

    @Test
    void shouldNameEveryCodeWithItsStatus() {
        TreeSet<String> named = new TreeSet<>();
        openApi.at("/components/responses").properties().forEach(response -> {
            JsonNode any = response.getValue().at("/content/application~1problem+json/schema");
            JsonNode schema = (any.has("anyOf") ? any.at("/anyOf/1") : any).at("/allOf/1/properties");
            int status = schema.at("/status/const").asInt();
            assertEquals("Problem" + status, response.getKey());
            each(schema.at("/code/enum")).map(JsonNode::asText).forEach(code -> {
                // One code has another status while the other request is in flight.
                boolean inFlight = code.equals("IDEMPOTENCY_CONFLICT") && status == 409;
                assertTrue(ErrorCode.valueOf(code).httpStatus() == status || inFlight, code);
                assertTrue(named.add(code) || code.equals("IDEMPOTENCY_CONFLICT"), code);
            });
        });
        assertEquals(
                Arrays.stream(ErrorCode.values())
                        .filter(code -> !NOT_OVER_HTTP.contains(code))
                        .map(ErrorCode::name)
                        .collect(Collectors.toCollection(TreeSet::new)),
                named);
    }

    @Test
    void shouldReferToNothingOutsideOfItself() {
        for (JsonNode document : List.of(openApi, asyncApi)) {
            List<JsonNode> references = document.findValues("$ref");
            assertFalse(references.isEmpty());
            for (JsonNode reference : references) {
                String text = reference.asText();
                assertTrue(text.startsWith("#/"), text);
                assertFalse(document.at(text.substring(1)).isMissingNode(), text);
            }
            assertEquals(List.of(), document.findValues("$id"));
        }
    }

    @Test
    void shouldHaveAChannelForEveryStreamOfTheTable() {
        TreeSet<String> described = new TreeSet<>();
        each(asyncApi.path("channels"))
                .map(channel -> channel.path("address").asText())
                .filter(address -> address.startsWith("/"))
                .forEach(described::add);
        TreeSet<String> streams = new TreeSet<>();
        for (Operation<?, ?> operation : OVER_HTTP) {
            Route route = route(operation);
            if (route.takesTicket()) {
                streams.add(path(operation));
            }
        }
        assertEquals(streams, described);
    }

    /** Names of the channel's messages whose keys begin with a prefix and a dot. */
    private Set<String> messages(String channel, String prefix) {
        return asyncApi.path("channels").path(channel).path("messages").properties().stream()
                .map(Map.Entry::getKey)
                .filter(key -> key.startsWith(prefix + "."))
                .map(key -> asyncApi.path("components")
                        .path("messages")
                        .path(key)
                        .path("name")
                        .asText())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"io", "stream", "attach", "multiplex", "spawner"})
    void shouldHaveAMessageForEveryFrameTypeOnEveryStream(String channel) {
        EnumSet<FrameType> numbered =
                EnumSet.complementOf(EnumSet.of(FrameType.UNKNOWN, FrameType.GAP, FrameType.AUTHENTICATED));
        assertEquals(
                numbered.stream().map(FrameType::wireName).collect(Collectors.toCollection(TreeSet::new)),
                messages(channel, "frame"));
        assertTrue(messages(channel, "connection").contains(FrameType.GAP.wireName()));
        // Over SSE the head of the response says what this message says elsewhere.
        assertEquals(
                !channel.equals("stream"),
                messages(channel, "connection").contains(FrameType.AUTHENTICATED.wireName()));
    }

    @Test
    void shouldHaveAMessageForEveryTypeThatConcernsAConnection() {
        Set<String> types = each(asyncApi.path("components").path("schemas").at("/connection/properties/type/enum"))
                .map(JsonNode::asText)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(types, messages("multiplex", "connection"));
    }

    @ParameterizedTest
    @CsvSource({
        "io, captain, captain, auth message",
        "attach, captain, captain, auth message",
        "multiplex, multiplex, multiplex, auth",
        "spawner, spawner, request, answer ack"
    })
    void shouldHaveAMessageForEveryLineThatAClientSends(
            String channel, String prefix, String schema, String withoutAction) {
        Set<String> expected = new TreeSet<>(List.of(withoutAction.split(" ")));
        each(asyncApi.path("components").path("schemas").path(schema).path("$defs"))
                .forEach(line -> {
                    JsonNode action = line.path("properties").path("action");
                    each(action.path("enum")).map(JsonNode::asText).forEach(expected::add);
                    for (JsonNode named :
                            List.of(action, line.path("properties").path("type"))) {
                        if (named.has("const")) {
                            expected.add(named.path("const").asText());
                        }
                    }
                });
        assertTrue(expected.size() > 5, expected::toString);
        assertEquals(expected, messages(channel, prefix));
    }

    @Test
    void shouldUseEveryMessageOfAChannelInAnOperation() {
        TreeSet<String> used = new TreeSet<>();
        each(asyncApi.path("operations"))
                .forEach(operation -> Stream.of(
                                operation.path("messages"),
                                operation.path("reply").path("messages"))
                        .flatMap(ApiDocumentsTest::each)
                        .map(message -> message.path("$ref").asText())
                        .forEach(used::add));
        TreeSet<String> there = new TreeSet<>();
        asyncApi.path("channels")
                .properties()
                .forEach(channel -> channel.getValue()
                        .path("messages")
                        .fieldNames()
                        .forEachRemaining(
                                message -> there.add("#/channels/" + channel.getKey() + "/messages/" + message)));
        assertEquals(there, used);
    }

    @Test
    void shouldShowAValidExampleOfEveryMessage() {
        String urn = "urn:test:asyncapi";
        JsonSchemaFactory schemas = JsonSchemaFactory.getInstance(
                SpecVersion.VersionFlag.V202012,
                builder -> builder.schemaLoaders(loaders -> loaders.schemas(Map.of(urn, asyncApi.toString()))));
        asyncApi.path("components").path("messages").properties().forEach(message -> {
            JsonNode examples = message.getValue().path("examples");
            assertFalse(examples.isEmpty(), message::getKey);
            String place = urn + "#/components/messages/" + message.getKey() + "/payload";
            for (JsonNode example : examples) {
                assertEquals(
                        Set.of(),
                        schemas.getSchema(SchemaLocation.of(place))
                                .validate(example.path("payload").toString(), InputFormat.JSON),
                        message::getKey);
            }
            assertFalse(
                    schemas.getSchema(SchemaLocation.of(place))
                            .validate("{}", InputFormat.JSON)
                            .isEmpty(),
                    message::getKey);
        });
    }

    @Test
    void shouldNameTheParametersOfEveryStream() {
        TreeMap<String, Set<String>> described = new TreeMap<>();
        asyncApi.path("channels").properties().forEach(channel -> {
            String address = channel.getValue().path("address").asText();
            JsonNode query = channel.getValue().at("/bindings/ws/query/properties");
            if (query.isMissingNode()) {
                query = asyncApi.path("operations")
                        .path(channel.getKey() + "Sends")
                        .at("/bindings/http/query/properties");
            }
            if (address.startsWith("/")) {
                TreeSet<String> names = new TreeSet<>();
                query.fieldNames().forEachRemaining(names::add);
                described.put(address, names);
            }
        });
        TreeMap<String, Set<String>> read = new TreeMap<>();
        for (Operation<?, ?> operation : OVER_HTTP) {
            Route route = route(operation);
            if (route.takesTicket()) {
                read.put(path(operation), new TreeSet<>(route.query()));
            }
        }
        assertEquals(read, described);
    }
}
