import brig.client.Brig;
import brig.client.Frame;
import brig.client.Position;
import brig.client.Session;
import brig.client.SpawnRequest;
import java.nio.file.Path;

/** A captain that does not know where its sessions run: SOCKET REPOSITORY [FIELD VALUE], the field saying where. */
public class Captain {
    public static void main(String[] arguments) {
        SpawnRequest working = SpawnRequest.of("shell", "cat README; echo more >>README")
                .taskId("fix")
                .with("workspace_mode", "worktree")
                .with("repository", arguments[1]);
        SpawnRequest asking = SpawnRequest.of("mock", "#scenario:ask:2").withSetting("permissions", "ask");
        if (arguments.length > 2) {
            working = working.with(arguments[2], arguments[3]);
            asking = asking.with(arguments[2], arguments[3]);
        }
        try (Brig brig = Brig.at(Path.of(arguments[0]))) {
            Session first = brig.start(working);
            System.out.print(first.text());
            Position position = first.position();
            first.leave();
            try (Session again = brig.attach("fix", position)) {
                again.send("cat README; git status --short");
                System.out.print(again.text());
                again.send("echo begun; sleep 600");
                while (!"begun\n".equals(next(again).text("content", ""))) {}
                again.cancel();
                Frame done = next(again);
                while (!done.type().equals("done")) {
                    done = next(again);
                }
                System.out.println("cancelled: " + done.text("reason", ""));
            }
            try (Session asked = brig.start(asking)) {
                for (String option = "allow"; !option.isEmpty(); ) {
                    Frame frame = next(asked);
                    if (frame.type().equals("ask")) {
                        asked.answer(frame.text("ask_id", ""), option);
                        option = "deny";
                    } else if (frame.type().equals("chunk")) {
                        System.out.print(frame.text("content"));
                    } else if (frame.type().equals("done")) {
                        option = "";
                    }
                }
            }
        }
    }

    private static Frame next(Session session) {
        Frame frame = session.next();
        if (frame == null) {
            throw new IllegalStateException("it has ended");
        }
        return frame;
    }
}
