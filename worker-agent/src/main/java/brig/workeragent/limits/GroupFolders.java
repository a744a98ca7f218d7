package brig.workeragent.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creation and removal of groups: the kernel fills a new folder with files, and removes them with it. */
interface GroupFolders {

    GroupFolders OF_KERNEL = new GroupFolders() {
        @Override
        public void make(Path folder) throws IOException {
            Files.createDirectory(folder);
        }

        @Override
        public void remove(Path folder) throws IOException {
            Files.deleteIfExists(folder);
        }
    };

    void make(Path folder) throws IOException;

    /** Fails while the group has a process. Does nothing if there is no such folder. */
    void remove(Path folder) throws IOException;
}
