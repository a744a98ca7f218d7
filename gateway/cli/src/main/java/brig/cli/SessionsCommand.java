package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.api.SandboxView;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.Posture;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig sessions}. */
@Command(
        name = "sessions",
        aliases = {"ls", "ps"},
        description = "List sessions, newest first.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  brig sessions",
            "  brig sessions -f                      redraw the list; a line per change where the output is no terminal",
            "  brig sessions --all --json",
            "  brig sessions --posture",
            "  brig sessions --provider sprites -a   also what others have there, as far as the provider shows it",
            "  brig sessions -q | xargs -n 1 brig terminate"
        })
final class SessionsCommand implements Callable<Integer> {
    private static final List<String> HEAD = List.of("TASK", "SPAWN", "AGENT", "STATE", "AGE", "FRAMES");

    @ParentCommand
    private Main main = new Main();

    @Option(
            names = {"-a", "--all"},
            description = "Also list sessions that have ended.")
    private boolean all;

    @Option(
            names = {"-q", "--quiet"},
            description = "Only print the task_ids, one per line.")
    private boolean quiet;

    @Option(names = "--posture", description = "Show what the wall of each session was found to enforce.")
    private boolean posture;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description =
                    "Only sessions in sandboxes of that provider. With --all, as an admin, also sandboxes there that"
                            + " are none of this gateway's.")
    private @Nullable String provider;

    @Option(
            names = {"-f", "--follow"},
            description = "Continue: redraw the list on a terminal, print a line per change elsewhere.")
    private boolean follow;

    @Override
    public Integer call() throws InterruptedException {
        if (follow && (quiet || posture || provider != null)) {
            throw BrigException.invalid("--follow", "goes with --all and --json alone");
        }
        if (follow) {
            return new SessionsFollower(main, HEAD, SessionsCommand::row).follow(all);
        }
        List<JsonObject> spawns;
        try (GatewayClient client = main.context().connect()) {
            spawns = client.request(new SpawnerRequest.ListAll()).objects("spawns").stream()
                    .filter(spawn -> all || !spawn.has("ended_ms"))
                    .filter(spawn -> provider == null || provider.equals(spawn.text("provider")))
                    .toList();
            if (posture) {
                spawns = spawns.stream()
                        .map(spawn -> client.request(new SpawnerRequest.Status(spawn.text("spawn_id", ""))))
                        .toList();
            }
        }
        List<SandboxView> others = others();
        if (main.json()) {
            JsonObject answer = JsonObject.EMPTY.with("spawns", spawns);
            main.terminal()
                    .json(
                            others.isEmpty()
                                    ? answer
                                    : answer.with(
                                            "others",
                                            others.stream().map(JsonObject::of).toList()));
        } else {
            print(spawns.stream().map(spawn -> spawn.as(SpawnView.class)).toList());
            if (!quiet) {
                new SandboxTable(main.terminal()).print(new SandboxView.SandboxList(others, List.of()));
            }
        }
        return 0;
    }

    /** What is in sandboxes of the provider besides this gateway's sessions. */
    private List<SandboxView> others() {
        if (provider == null || !all) {
            return List.of();
        }
        try (GatewayClient client = main.context().connect()) {
            return client
                    .request(new SpawnerRequest.Sandboxes(true))
                    .as(SandboxView.SandboxList.class)
                    .sandboxes()
                    .stream()
                    .filter(one -> one.provider().equals(provider) && one.spawnId() == null)
                    .toList();
        }
    }

    private void print(List<SpawnView> spawns) {
        if (quiet) {
            spawns.forEach(spawn -> main.terminal().println(spawn.taskId()));
            return;
        }
        if (posture) {
            main.terminal()
                    .table(
                            List.of("TASK", "PROPERTY", "STATUS", "DETAIL"),
                            spawns.stream()
                                    .flatMap(SessionsCommand::postureRows)
                                    .toList());
            return;
        }
        main.terminal().table(HEAD, spawns.stream().map(SessionsCommand::row).toList());
    }

    private static List<String> row(SpawnView spawn) {
        return List.of(
                spawn.taskId(),
                spawn.spawnId(),
                TreeDrawing.placed(spawn.agent(), spawn.host()),
                TopTable.doing(spawn),
                Main.age(spawn.createdMs()),
                String.valueOf(spawn.lastSeq()));
    }

    private static Stream<List<String>> postureRows(SpawnView spawn) {
        String task = spawn.taskId();
        Posture posture = spawn.posture();
        if (posture == null) {
            return Stream.of(List.of(task, "", "", "not measured"));
        }
        Stream<List<String>> kind =
                Stream.ofNullable(posture.wall()).map(which -> List.of(task, "wall", "", which.word()));
        Stream<List<String>> root = Stream.ofNullable(posture.root())
                .map(image -> List.of(
                        task,
                        "root",
                        "",
                        "oci:" + image.image() + "@" + image.digest()
                                + (image.overlay() == null
                                        ? ""
                                        : ", " + image.overlay().words())));
        Stream<List<String>> level = Stream.of(List.of(task, "limits-level", "", posture.limits()));
        // Null for a tracked session.
        Stream<List<String>> notHeld = Stream.ofNullable(posture.notHeld())
                .flatMap(List::stream)
                .map(what -> List.of(task, "not-held", "", what));
        Stream<List<String>> toolWall =
                Stream.ofNullable(posture.toolWall()).map(how -> List.of(task, "tool-wall", "", how));
        return Stream.concat(
                Stream.concat(Stream.concat(Stream.concat(kind, root), level), Stream.concat(notHeld, toolWall)),
                posture.properties().stream()
                        .map(property ->
                                List.of(task, property.name(), property.status().wireName(), property.detail())));
    }
}
