package brig.cli;

import brig.captain.CaptainGateway;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The running gateway, or one that is started for this command alone when needed.
 *
 * <p>Decision 0008.
 */
final class SpawnerGateway implements CaptainGateway {
    private final CommandContext context;
    /** The name of the interface. */
    private final String client;

    private final boolean mayEmbed;

    // Guarded by this.
    private @Nullable Path spawner;
    private CommandContext.@Nullable Embedded embedded;
    private boolean closed;

    SpawnerGateway(CommandContext context, String client, boolean mayEmbed) {
        this.context = context;
        this.client = client;
        this.mayEmbed = mayEmbed;
    }

    @Override
    public <T> T request(SpawnerRequest request, Class<T> answer) {
        try (GatewayClient opened = connect()) {
            return opened.request(request, answer);
        }
    }

    @Override
    public Attached attach(String id, long from) {
        GatewayClient opened = connect();
        try {
            SpawnerRequest.Attach request =
                    new SpawnerRequest.Attach(id, new AttachOptions(from, null, false, client, null, 0));
            return new Connection(opened, opened.request(request, ConnectionLine.Authenticated.class));
        } catch (BrigException refusal) {
            opened.close();
            throw refusal;
        }
    }

    private GatewayClient connect() {
        if (context.remote() != null) {
            return connectRemote();
        }
        Path socket = spawner();
        try {
            return GatewayClient.connect(socket);
        } catch (IOException e) {
            throw noGateway(socket);
        }
    }

    /** One that was there may come back. */
    private synchronized BrigException noGateway(Path socket) {
        BrigException none = context.noGateway(socket);
        return spawner == null ? none : new BrigException(ErrorCode.SHUTTING_DOWN, none.getMessage());
    }

    private GatewayClient connectRemote() {
        try {
            return context.connect();
        } catch (BrigException refusal) {
            throw refusal.code() == ErrorCode.NOT_FOUND
                    ? new BrigException(ErrorCode.SHUTTING_DOWN, refusal.getMessage())
                    : refusal;
        }
    }

    /** Whether the gateway ends with this command. */
    synchronized boolean isEmbedded() {
        return embedded != null;
    }

    /** Determined once: sessions do not move between gateways. */
    private synchronized Path spawner() {
        if (spawner == null) {
            GatewayClient running = context.connectLocally();
            if (running != null) {
                running.close();
                spawner = context.spawnerSocket();
            } else if (mayEmbed && !closed) {
                CommandContext.Embedded started = new CommandContext.Embedded(context);
                embedded = started;
                spawner = started.spawner();
            } else {
                return context.spawnerSocket();
            }
        }
        return spawner;
    }

    @Override
    public void close() {
        CommandContext.Embedded ending;
        synchronized (this) {
            closed = true;
            ending = embedded;
        }
        if (ending != null) {
            ending.close();
        }
    }

    private record Connection(GatewayClient client, ConnectionLine.Authenticated welcome) implements Attached {
        @Override
        public @Nullable JsonObject next() {
            byte[] line = client.nextLine();
            return line == null ? null : JsonObject.read(line);
        }

        @Override
        public boolean isDrained() {
            return client.isDrained();
        }

        @Override
        public void send(CaptainLine.Order line) {
            client.send(line);
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
