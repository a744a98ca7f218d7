package brig.workeragent.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.relay.Lines;
import brig.workeragent.worker.FakeTimers;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LinkEpochsTest {
    private final FakeTimers timers = new FakeTimers();
    private final LinkEpochs epochs = new LinkEpochs(timers, () -> {});
    private final List<SocketChannel> channels = new ArrayList<>();

    @TempDir
    Path folder;

    private SocketChannel entered(Long epoch) throws Exception {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channels.add(channel);
        epochs.enter(channel, epoch);
        return channel;
    }

    @AfterEach
    void close() throws Exception {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    @Test
    void shouldCloseConnectionsOfEarlierLinksWhenANewOneComes() throws Exception {
        List<SocketChannel> old = List.of(entered(0L), entered(5L), entered(5L));
        assertFalse(old.get(0).isOpen());
        assertTrue(old.get(1).isOpen());
        SocketChannel fresh = entered(6L);
        assertFalse(old.get(1).isOpen());
        assertFalse(old.get(2).isOpen());
        assertEquals(
                ErrorCode.LINK_FENCED,
                assertThrows(BrigException.class, () -> entered(5L)).code());
        assertTrue(fresh.isOpen());
        assertTrue(entered(6L).isOpen());
    }

    @Test
    void shouldLeaveConnectionsWithoutAnEpochAlone() throws Exception {
        SocketChannel before = entered(null);
        SocketChannel link = entered(Long.MAX_VALUE);
        SocketChannel after = entered(null);
        assertTrue(before.isOpen());
        assertTrue(link.isOpen());
        assertTrue(after.isOpen());
    }

    @Test
    void shouldCloseALinkThatIsSilentForLong() throws Exception {
        SocketChannel local = entered(null);
        SocketChannel link = entered(7L);
        timers.advance(10_000);
        epochs.hear(7L);
        epochs.hear(6L);
        epochs.hear(null);
        timers.advance(14_000);
        assertTrue(link.isOpen());
        SocketChannel second = entered(7L);
        timers.advance(1_000);
        assertFalse(link.isOpen());
        assertFalse(second.isOpen());
        assertTrue(local.isOpen());

        // The same link may have slept, and be back.
        SocketChannel again = entered(7L);
        timers.advance(14_999);
        assertTrue(again.isOpen());
        timers.advance(1);
        assertFalse(again.isOpen());
    }

    @Test
    void shouldHoldOnToNoConnectionThatEnded() throws Exception {
        SocketChannel ended = entered(1L);
        epochs.leave(ended);
        entered(2L);
        assertTrue(ended.isOpen(), "nothing knows it any longer");
    }

    @Test
    void shouldAdmitTheGreatestAloneWhenLinksComeInAnyOrder() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        long greatest = -1;
        for (int i = 0; i < 500; i++) {
            long epoch = random.nextInt(200);
            if (epoch < greatest) {
                assertThrows(BrigException.class, () -> entered(epoch), "seed " + seed);
                channels.getLast().close();
            } else {
                entered(epoch);
                if (epoch > greatest) {
                    assertEquals(
                            1, channels.stream().filter(SocketChannel::isOpen).count(), "seed " + seed);
                }
                greatest = epoch;
            }
        }
    }

    @Test
    void shouldEndAConnectionWhosePeerNeverReads() throws Exception {
        // Scenario: two virtual threads are in the middle of a write and a read to a peer that is gone without a word.
        // A new link comes; both end.
        AtomicLong next = new AtomicLong(1);
        CountDownLatch writing = new CountDownLatch(1);
        BlockingQueue<Long> ended = new LinkedBlockingQueue<>();
        try (UnixListener listener = UnixListener.open(folder.resolve("s.sock"), Peers.of(null), 8, channel -> {
                    long epoch = next.getAndIncrement();
                    epochs.enter(channel, epoch);
                    Thread reader = Thread.ofVirtual().start(() -> {
                        try {
                            while (channel.read(ByteBuffer.allocate(16)) >= 0) {
                                writing.countDown();
                            }
                        } catch (IOException closed) {
                            ended.add(-epoch);
                        }
                    });
                    try {
                        while (epoch == 1) {
                            Lines.write(channel, ByteBuffer.allocate(1 << 16));
                            writing.countDown();
                        }
                    } catch (IOException closed) {
                        ended.add(epoch);
                    } finally {
                        epochs.leave(channel);
                    }
                    try {
                        reader.join();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                SocketChannel half = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            half.connect(UnixDomainSocketAddress.of(listener.path()));
            assertTrue(writing.await(20, TimeUnit.SECONDS));
            try (SocketChannel fresh = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                fresh.connect(UnixDomainSocketAddress.of(listener.path()));
                List<Long> both = new ArrayList<>();
                both.add(ended.poll(20, TimeUnit.SECONDS));
                both.add(ended.poll(20, TimeUnit.SECONDS));
                assertEquals(List.of(-1L, 1L), both.stream().sorted().toList());
            }
        }
    }
}
