package brig.cli;

import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import brig.protocol.frame.AskDetail;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The open asks, kept up to date by what the gateway tells. */
final class FollowedAsks {
    private final Map<String, AskList.View> open = new LinkedHashMap<>();

    /** @return what changed, as sentences */
    List<String> take(AskChange change) {
        return switch (change) {
            case AskChange.Asks all -> {
                open.clear();
                all.asks().forEach(this::add);
                yield all.asks().stream().map(FollowedAsks::asked).toList();
            }
            case AskChange.Ask asked -> {
                add(asked.ask());
                yield List.of(asked(asked.ask()));
            }
            case AskChange.Answered settled -> {
                AskList.View known = open.remove(settled.answered().askId());
                yield known == null
                        ? List.of()
                        : List.of(AsksCommand.headline(known) + " · answered: "
                                + StreamPrinter.words(settled.answered()));
            }
        };
    }

    private void add(AskList.View view) {
        open.put(view.ask().askId(), view);
    }

    /** The one with the nearest deadline first. */
    List<AskList.View> open() {
        return open.values().stream()
                .sorted(Comparator.comparing(view -> view.ask().deadline()))
                .toList();
    }

    private static String asked(AskList.View view) {
        return AsksCommand.headline(view) + " · "
                + TreeDrawing.cut(AskDetail.brief(view.ask().detail()), 120) + " · brig answer "
                + view.ask().askId() + " " + view.ask().choices();
    }
}
