package brig.gateway.nats;

import java.util.List;

/**
 * How a gateway reaches NATS.
 *
 * @param gateway its name there
 * @param servers {@code nats://} or {@code tls://}, host and port
 * @param credentialsFile NATS credentials, or one line {@code USER:PASSWORD}; empty for none
 * @param systemCredentialsFile the same for the system account, by which servers tell how they are set; empty for none
 * @param caFile certificates of those who sign the servers' ones; empty for those of the system
 * @param replicas of each stream and bucket
 * @param keepHours how long frames are kept there
 * @param unsafeSync whether servers that may lose what they acknowledged are accepted
 */
public record NatsSettings(
        String gateway,
        List<String> servers,
        String credentialsFile,
        String systemCredentialsFile,
        String caFile,
        int replicas,
        int keepHours,
        boolean unsafeSync) {}
