package brig.gateway.stream;

import java.util.concurrent.Executor;

class MemoryArchiveTest extends StreamArchiveContract {
    @Override
    protected StreamArchive open(Executor diskThread, Executor eventLoop) {
        return new MemoryArchive(diskThread, eventLoop);
    }
}
