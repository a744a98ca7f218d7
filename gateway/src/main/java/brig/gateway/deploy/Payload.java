package brig.gateway.deploy;

import java.nio.file.Path;
import java.util.concurrent.CompletionStage;

/** What is brought to a host: the worker-agent with its Java runtime, as one archive. Answers come on the event loop. */
public interface Payload {
    /** {@code VERSION-HASH}, the name of its folder on a host. */
    CompletionStage<String> name();

    /** The archive with that content, made if it is not there. */
    CompletionStage<Archive> archive();

    /** A file of so many bytes. */
    record Archive(Path file, long bytes) {}

    /** The architecture that it runs on, as {@code uname -m} says. */
    String machine();
}
