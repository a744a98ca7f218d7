package brig.gateway.tree;

import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A tree, and the frames that a test lets it see: its own, or those that recorded runs of real agents became. */
final class TreeFixture {
    static final Path AGENTS = Files.isDirectory(Path.of("../worker-agent"))
            ? Path.of("../worker-agent/formats/src/test/resources")
            : Path.of("worker-agent/formats/src/test/resources");

    final AgentTree tree = new AgentTree();
    private long seq;

    /** The next frame: its type, and its other fields as JSON. */
    TreeFixture frame(String type, String fields) {
        seq++;
        byte[] line = ("{\"type\":\"" + type + "\",\"seq\":" + seq + ",\"ts\":" + 1000 * seq + "," + fields.substring(1)
                        + "\n")
                .getBytes(StandardCharsets.UTF_8);
        tree.handle(FrameType.of(type), seq, line, 0, line.length);
        return this;
    }

    TreeFixture agent(String id, String parent, String status) {
        String place = parent.isEmpty() ? "" : "\"parent_id\":\"" + parent + "\",";
        return frame(
                "subagent",
                "{\"agent_id\":\"" + id + "\"," + place + "\"depth\":1,\"background\":false,\"status\":\"" + status
                        + "\"}");
    }

    /** The frames of a recording, {@code type {fields}} a line, up to the last one that fits. */
    TreeFixture play(List<String> golden) {
        for (String line : golden) {
            int space = line.indexOf(' ');
            if (!line.startsWith(">") && !line.startsWith("--")) {
                frame(line.substring(0, space), line.substring(space + 1));
            }
        }
        return this;
    }

    static List<String> golden(String adapter, String name) {
        try {
            return Files.readAllLines(AGENTS.resolve("golden").resolve(adapter).resolve(name + ".txt"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> names(String adapter) {
        try (Stream<Path> files = Files.list(AGENTS.resolve("golden").resolve(adapter))) {
            return files.map(file -> String.valueOf(file.getFileName()).replace(".txt", ""))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final AgentTree.Owner OWNER = new AgentTree.Owner(
            "spn_1", "fix", "claude", null, SpawnState.RUNNING, SpawnActivity.WORKING, "00000000", 7);

    JsonObject view() {
        // Written and read again: what a client gets.
        return JsonObject.read(Json.write(tree.view(OWNER)));
    }

    long count(String name) {
        return view().object("counts").number(name, -1);
    }

    long leftOut() {
        return view().object("left_out").number("frames", -1);
    }

    List<JsonObject> agents() {
        return view().objects("agents");
    }

    JsonObject agent(String id) {
        return agents().stream()
                .filter(agent -> agent.text("agent_id", "").equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** Each sub-agent as {@code parent/id status}, in the order of the view. */
    List<String> drawn() {
        List<String> drawn = new ArrayList<>();
        for (JsonObject agent : agents()) {
            drawn.add(agent.text("parent_id", "") + "/" + agent.text("agent_id", "") + " " + agent.text("status", "")
                    + (agent.flag("unknown_parent") ? " ?" : ""));
        }
        return drawn;
    }

    /** The parent of each, by id. */
    Map<String, String> parents() {
        Map<String, String> parents = new TreeMap<>();
        agents().forEach(agent -> parents.put(agent.text("agent_id", ""), agent.text("parent_id", "")));
        return parents;
    }
}
