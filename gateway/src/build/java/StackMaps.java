import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of the jar {@code args[0]} stack maps where they have none, that is, where they were compiled for
 * Java 5 or older. The JVM keeps no class without stack maps in a start-up archive: each start would read it from the
 * jar and verify it with the slow, old verifier. The jar must also be on the class path, as its classes refer to each
 * other.
 */
final class StackMaps {
    private static final int FIRST_WITH_STACK_MAPS = ClassFile.JAVA_6_VERSION;
    private static final int VERSION = ClassFile.JAVA_8_VERSION;
    private static final int MAJOR_VERSION_OFFSET = 7;
    /** Otherwise methods would be copied as they are. */
    private static final ClassFile REWRITER =
            ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS, ClassFile.ConstantPoolSharingOption.NEW_POOL);

    private static final ClassTransform TRANSFORM = ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
            .andThen(ClassTransform.dropping(ClassFileVersion.class::isInstance))
            .andThen(ClassTransform.endHandler(builder -> builder.withVersion(VERSION, 0)));

    private StackMaps() {}

    public static void main(String[] args) throws IOException {
        Path jar = Path.of(args[0]);
        Path rewritten = Path.of(args[0] + ".rewritten");
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar));
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(rewritten))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                byte[] bytes = in.readAllBytes();
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTime(entry.getTime());
                out.putNextEntry(copy);
                out.write(hasNoStackMaps(entry, bytes) ? withStackMaps(bytes) : bytes);
            }
        }
        Files.move(rewritten, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean hasNoStackMaps(ZipEntry entry, byte[] bytes) {
        return entry.getName().endsWith(".class") && bytes[MAJOR_VERSION_OFFSET] < FIRST_WITH_STACK_MAPS;
    }

    private static byte[] withStackMaps(byte[] bytes) {
        return REWRITER.transformClass(REWRITER.parse(bytes), TRANSFORM);
    }
}
