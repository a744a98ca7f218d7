package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.api.CostList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostsCommandTest {
    @Test
    void shouldWriteNamesOfServersAsTextIntoASpreadsheet() {
        CostList.Row row = new CostList.Row("=cmd|'x',\"y\"", 2, 1, 10, 3, 4, 5, 0.000125);
        assertEquals(
                List.of(
                        "model,usd,requests,unpriced,input_tokens,cached_input_tokens,cache_write_input_tokens,output_tokens",
                        "\"'=cmd|'x',\"\"y\"\"\",1.25E-4,2,1,10,3,4,5"),
                CostsCommand.csv(CostList.By.MODEL, new CostList(List.of(row), row, true)));
    }
}
