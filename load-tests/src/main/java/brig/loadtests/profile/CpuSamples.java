package brig.loadtests.profile;

import brig.loadtests.profile.FlameGraph.Frame;
import brig.loadtests.profile.FlameGraph.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** The stacks in a recording, from the thread to the method that ran. */
final class CpuSamples {
    private static final String EVENT = "jdk.CPUTimeSample";
    private static final Pattern NETWORK = Pattern.compile("io\\.(netty|vertx)\\..*");

    private CpuSamples() {}

    static void read(Path recording, Instant from, Instant to, FlameGraph into) throws IOException {
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (event.getEventType().getName().equals(EVENT)
                        && !event.getStartTime().isBefore(from)
                        && event.getStartTime().isBefore(to)) {
                    into.add(stack(event), event.getDuration("samplingPeriod").toNanos());
                }
            }
        }
    }

    private static List<Frame> stack(RecordedEvent event) {
        List<Frame> stack = new ArrayList<>();
        stack.add(new Frame(thread(event.getThread("eventThread")), Kind.JDK));
        RecordedStackTrace trace = event.getStackTrace();
        if (trace == null) {
            stack.add(new Frame("unknown", Kind.JDK));
            return stack;
        }
        for (RecordedFrame frame : trace.getFrames().reversed()) {
            String type = frame.getMethod().getType().getName();
            if (!isMade(type)) {
                stack.add(
                        frame(type, frame.getMethod().getName(), frame.getType().equals("Native")));
            }
        }
        return stack;
    }

    /** Whether the JVM made the class; such frames lead from one method of a program to another. */
    private static boolean isMade(String type) {
        return type.contains("$$Lambda") || type.startsWith("java.lang.invoke.") || type.contains("GeneratedMethod");
    }

    /** A frame with a short name: class and method, without packages. */
    static Frame frame(String type, String method, boolean inNative) {
        String name = type.substring(type.lastIndexOf('.') + 1).replace('$', '.') + "." + readable(method);
        return new Frame(name, inNative ? Kind.NATIVE : kind(type));
    }

    private static Kind kind(String type) {
        if (type.startsWith("brig.")) {
            return Kind.BRIG;
        }
        return NETWORK.matcher(type).matches() ? Kind.NETWORK : Kind.JDK;
    }

    /** {@code lambda$read$0} is a part of {@code read}. */
    private static String readable(String method) {
        return method.startsWith("lambda$") ? method.replaceAll("^lambda\\$|\\$\\d+$", "") + " lambda" : method;
    }

    /** Threads of one pool are drawn as one. */
    private static String thread(@Nullable RecordedThread thread) {
        String name = thread == null ? null : thread.getJavaName();
        if (name == null || name.isEmpty()) {
            return thread != null && thread.isVirtual() ? "virtual threads" : "other threads";
        }
        return name.replaceAll("[-#\\s]*\\d+", "");
    }
}
