package brig.gateway.time;

import io.vertx.core.Vertx;

/** {@link Timers} of a Vert.x instance. Must be used on its event loop. */
public final class VertxTimers implements Timers {
    private final Vertx vertx;

    public VertxTimers(Vertx vertx) {
        this.vertx = vertx;
    }

    @Override
    public Timer after(long delayMs, Runnable task) {
        long id = vertx.setTimer(Math.max(delayMs, 1), fired -> task.run());
        return () -> vertx.cancelTimer(id);
    }
}
