package brig.acp;

import brig.acp.message.ContentBlock;
import brig.acp.view.PathMapping;
import brig.captain.RpcException;
import brig.protocol.rpc.RpcError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts an editor's prompt to the text of a message: links in place, embedded files after it. */
final class PromptText {
    private PromptText() {}

    /** @throws RpcException for content that {@code promptCapabilities} does not offer */
    static String of(List<ContentBlock> blocks, PathMapping places) {
        StringBuilder text = new StringBuilder();
        StringBuilder behind = new StringBuilder();
        for (ContentBlock block : blocks) {
            switch (block) {
                case ContentBlock.Text said -> text.append(orEmpty(said.text()));
                case ContentBlock.ResourceLink link -> link(text, orEmpty(link.name()), places.inside(link.uri()));
                case ContentBlock.Resource(ContentBlock.Embedded file) -> {
                    if (file.text() == null) {
                        throw refused("an embedded file that is no text");
                    }
                    String uri = places.inside(file.uri());
                    link(text, uri.substring(uri.lastIndexOf('/') + 1), uri);
                    behind.append("\n\n<context ref=\"")
                            .append(uri)
                            .append("\">\n")
                            .append(file.text())
                            .append("\n</context>");
                }
                case ContentBlock.Image() -> throw refused("a block of the type image");
                case ContentBlock.Audio() -> throw refused("a block of the type audio");
            }
        }
        return text.append(behind).toString();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static void link(StringBuilder text, String name, String uri) {
        text.append("[@").append(name).append("](").append(uri).append(')');
    }

    private static RpcException refused(String what) {
        return new RpcException(
                RpcError.INVALID_PARAMS, "a prompt may have text, resource_link and embedded text, and has " + what);
    }
}
