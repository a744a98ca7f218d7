package brig.seccomp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of classic BPF that a seccomp filter needs. A jump only skips forward over a block, which is a program
 * itself, so offsets are never counted by hand. Format: {@code linux/filter.h}; a block must end in a return.
 */
public final class BpfProgram {

    private static final int LOAD_WORD = 0x20;
    private static final int AND = 0x54;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_GREATER = 0x25;
    private static final int JUMP_GREATER_OR_EQUAL = 0x35;
    private static final int JUMP_ANY_BIT = 0x45;
    private static final int RETURN = 0x06;
    private static final int INSTRUCTION_BYTES = 8;

    private record Instruction(int code, int whenTrue, int whenFalse, int operand) {}

    private final List<Instruction> instructions = new ArrayList<>();

    /** Loads the 32 bits at an offset of {@code struct seccomp_data}. */
    public BpfProgram load(int offset) {
        return add(LOAD_WORD, 0, 0, offset);
    }

    BpfProgram and(int mask) {
        return add(AND, 0, 0, mask);
    }

    public BpfProgram answer(int action) {
        return add(RETURN, 0, 0, action);
    }

    public BpfProgram answerWhenEqual(int value, int action) {
        return whenEqual(value, new BpfProgram().answer(action));
    }

    BpfProgram answerWhenOther(int value, int action) {
        return add(JUMP_EQUAL, 1, 0, value).answer(action);
    }

    BpfProgram answerWhenGreater(int value, int action) {
        return add(JUMP_GREATER, 0, 1, value).answer(action);
    }

    BpfProgram answerWhenAtLeast(int value, int action) {
        return add(JUMP_GREATER_OR_EQUAL, 0, 1, value).answer(action);
    }

    BpfProgram answerWhenAnyBit(int mask, int action) {
        return add(JUMP_ANY_BIT, 0, 1, mask).answer(action);
    }

    BpfProgram answerWhenNoBit(int mask, int action) {
        return add(JUMP_ANY_BIT, 1, 0, mask).answer(action);
    }

    /** Runs the block if the last loaded value equals {@code value}, and skips it otherwise. */
    public BpfProgram whenEqual(int value, BpfProgram block) {
        int length = block.instructions.size();
        if (length == 0 || length > 255 || block.instructions.getLast().code != RETURN) {
            throw new IllegalArgumentException("a block of " + length + " instructions without a return");
        }
        add(JUMP_EQUAL, 0, length, value);
        instructions.addAll(block.instructions);
        return this;
    }

    private BpfProgram add(int code, int whenTrue, int whenFalse, int operand) {
        instructions.add(new Instruction(code, whenTrue, whenFalse, operand));
        return this;
    }

    public byte[] toBytes() {
        var bytes = ByteBuffer.allocate(instructions.size() * INSTRUCTION_BYTES).order(ByteOrder.nativeOrder());
        for (Instruction instruction : instructions) {
            bytes.putShort((short) instruction.code)
                    .put((byte) instruction.whenTrue)
                    .put((byte) instruction.whenFalse)
                    .putInt(instruction.operand);
        }
        return bytes.array();
    }
}
