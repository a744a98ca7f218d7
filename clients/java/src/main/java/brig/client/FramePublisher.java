package brig.client;

import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The frames of a session for one subscriber at a time, which gets as many as it asks for. While it asks for none, they wait
 * in the session, and then Brig holds the agent back.
 */
final class FramePublisher implements Flow.Publisher<Frame> {
    private final Session session;
    private final Executor executor;

    FramePublisher(Session session, Executor executor) {
        this.session = session;
        this.executor = executor;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super Frame> subscriber) {
        Subscription subscription = new Subscription(subscriber);
        subscriber.onSubscribe(subscription);
        subscription.begin();
    }

    private final class Subscription implements Flow.Subscription {
        private final Flow.Subscriber<? super Frame> subscriber;
        /** One more until {@code onSubscribe} is over, so that no frame comes before. */
        private final AtomicLong wanted = new AtomicLong(1);

        private final AtomicBoolean over = new AtomicBoolean();

        Subscription(Flow.Subscriber<? super Frame> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            if (count <= 0) {
                if (over.compareAndSet(false, true)) {
                    subscriber.onError(new IllegalArgumentException("request(" + count + ")"));
                }
            } else if (wanted.getAndUpdate(before -> before + count < 0 ? Long.MAX_VALUE : before + count) == 0) {
                executor.execute(this::deliver);
            }
        }

        void begin() {
            if (wanted.decrementAndGet() > 0) {
                executor.execute(this::deliver);
            }
        }

        /** Runs on one thread at a time: only the request that finds nothing wanted starts it. */
        private void deliver() {
            try {
                do {
                    Frame frame = session.next(over::get);
                    if (frame == null) {
                        if (over.compareAndSet(false, true)) {
                            subscriber.onComplete();
                        }
                        return;
                    }
                    subscriber.onNext(frame);
                } while (wanted.decrementAndGet() > 0);
            } catch (RuntimeException e) {
                if (over.compareAndSet(false, true)) {
                    subscriber.onError(e);
                }
            }
        }

        @Override
        public void cancel() {
            over.set(true);
            session.signal();
        }
    }
}
