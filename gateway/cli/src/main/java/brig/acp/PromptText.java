package brig.acp;

import brig.protocol.json.Fields;
import java.util.List;

/** A prompt of the editor as the text that a message to a session is: links in place, embedded files behind it. */
final class PromptText {
    private PromptText() {}

    /** @throws RpcException where it has something that was not offered in {@code promptCapabilities} */
    static String of(List<Fields> blocks, PathMapping places) {
        StringBuilder text = new StringBuilder();
        StringBuilder behind = new StringBuilder();
        for (Fields block : blocks) {
            String type = block.requiredText("type");
            switch (type) {
                case "text" -> text.append(block.text("text", ""));
                case "resource_link" -> link(text, block.text("name", ""), places.inside(block.requiredText("uri")));
                case "resource" -> {
                    Fields resource = block.object("resource");
                    String uri = places.inside(resource.requiredText("uri"));
                    if (!resource.has("text")) {
                        throw refused("an embedded file that is no text");
                    }
                    link(text, uri.substring(uri.lastIndexOf('/') + 1), uri);
                    behind.append("\n\n<context ref=\"")
                            .append(uri)
                            .append("\">\n")
                            .append(resource.text("text", ""))
                            .append("\n</context>");
                }
                default -> throw refused("a block of the type " + type);
            }
        }
        return text.append(behind).toString();
    }

    private static void link(StringBuilder text, String name, String uri) {
        text.append("[@").append(name).append("](").append(uri).append(')');
    }

    private static RpcException refused(String what) {
        return new RpcException(
                RpcException.INVALID_PARAMS,
                "a prompt may have text, resource_link and embedded text, and has " + what);
    }
}
