package brig.gateway.openai.message;

import brig.protocol.record.Name;
import brig.protocol.record.Tagged;

/**
 * An event of a response ("Streaming events"). Events are numbered from 0; {@code outputIndex} is the index of the item
 * in the response, {@code contentIndex} and {@code summaryIndex} that of the part in its item.
 */
@Tagged("type")
public sealed interface ResponseEvent {
    /** The first event. */
    @Name("response.created")
    record Created(long sequenceNumber, Response response) implements ResponseEvent {}

    /** Sent after a while of silence. */
    @Name("response.in_progress")
    record InProgress(long sequenceNumber, Response response) implements ResponseEvent {}

    /** The last event. */
    @Name("response.completed")
    record Completed(long sequenceNumber, Response response) implements ResponseEvent {}

    /** The last event of a failed answer. */
    @Name("response.failed")
    record Failed(long sequenceNumber, Response response) implements ResponseEvent {}

    @Name("response.output_item.added")
    record ItemAdded(long sequenceNumber, int outputIndex, OutputItem item) implements ResponseEvent {}

    @Name("response.output_item.done")
    record ItemDone(long sequenceNumber, int outputIndex, OutputItem item) implements ResponseEvent {}

    @Name("response.function_call_arguments.delta")
    record ArgumentsDelta(long sequenceNumber, String itemId, int outputIndex, String delta) implements ResponseEvent {}

    @Name("response.function_call_arguments.done")
    record ArgumentsDone(long sequenceNumber, String itemId, int outputIndex, String arguments)
            implements ResponseEvent {}

    @Name("response.content_part.added")
    record ContentPartAdded(long sequenceNumber, String itemId, int outputIndex, int contentIndex, OutputItem.Part part)
            implements ResponseEvent {}

    @Name("response.output_text.delta")
    record OutputTextDelta(long sequenceNumber, String itemId, int outputIndex, int contentIndex, String delta)
            implements ResponseEvent {}

    @Name("response.output_text.done")
    record OutputTextDone(long sequenceNumber, String itemId, int outputIndex, int contentIndex, String text)
            implements ResponseEvent {}

    @Name("response.content_part.done")
    record ContentPartDone(long sequenceNumber, String itemId, int outputIndex, int contentIndex, OutputItem.Part part)
            implements ResponseEvent {}

    @Name("response.reasoning_summary_part.added")
    record SummaryPartAdded(long sequenceNumber, String itemId, int outputIndex, int summaryIndex, OutputItem.Part part)
            implements ResponseEvent {}

    @Name("response.reasoning_summary_text.delta")
    record SummaryTextDelta(long sequenceNumber, String itemId, int outputIndex, int summaryIndex, String delta)
            implements ResponseEvent {}

    @Name("response.reasoning_summary_text.done")
    record SummaryTextDone(long sequenceNumber, String itemId, int outputIndex, int summaryIndex, String text)
            implements ResponseEvent {}

    @Name("response.reasoning_summary_part.done")
    record SummaryPartDone(long sequenceNumber, String itemId, int outputIndex, int summaryIndex, OutputItem.Part part)
            implements ResponseEvent {}
}
