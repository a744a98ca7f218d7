package brig.gateway.openai.message;

import java.util.List;

/** The agents that are offered as models ("List models"). */
public record ModelList(String object, List<Model> data) {
    /** @param created seconds since 1970; 0, as a profile has no date */
    public record Model(String id, String object, long created, String ownedBy) {
        public static Model of(String name) {
            return new Model(name, "model", 0, "brig");
        }
    }

    public static ModelList of(List<String> names) {
        return new ModelList("list", names.stream().map(Model::of).toList());
    }
}
