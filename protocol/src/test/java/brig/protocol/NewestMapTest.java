package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NewestMapTest {
    @Test
    void shouldRemoveTheEntryThatWasAddedFirstWhenItIsFull() {
        Map<String, Integer> newest = new NewestMap<>(2);
        newest.put("a", 1);
        newest.put("b", 2);
        newest.put("a", 3);
        newest.put("c", 4);
        assertEquals(List.of("b", "c"), List.copyOf(newest.keySet()));
    }
}
