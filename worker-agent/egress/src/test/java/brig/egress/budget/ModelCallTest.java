package brig.egress.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelCallTest {
    private static final CallBounds BOUNDS = new CallBounds(1_000, 4, 50_000);

    private static ModelCall read(String body) {
        return ModelCall.read(body.replace('\'', '"').getBytes(StandardCharsets.UTF_8), BOUNDS);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'model':'m','max_tokens':10}                                          | 10
            {'messages':[{'max_tokens':99}],'model':'m','max_completion_tokens':7} | 7
            {'model':'m','max_output_tokens':20,'max_tokens':30}                   | 30
            {'model':'m','max_tokens':10,'n':3}                                    | 30
            {'model':'m','n':2,'best_of':5}                                        | 5000
            {'model':'m','max_tokens':null,'stream':true}                          | 1000
            {'model':'m','max\\u005ftokens':10}                                    | 10
            {'model':'m'}                                                          | 1000
            {'model':'m','max_tokens':'many'}                                      | 100000000
            {'model':'m','max_tokens':-5}                                          | 100000000
            {'model':'m','max_tokens':1.5}                                         | 100000000
            {'model':'m','max_tokens':99999999999999999999999}                     | 100000000
            {'model':'m','max_tokens':100000000,'n':100000000}                     | 100000000
            """)
    void shouldFindTheMostThatARequestAsksFor(String body, long most) {
        assertEquals(most, read(body).outputTokens());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "not json",
                "{}",
                "{'model':7}",
                "{'model':''}",
                "{'model':'a','model':'b'}",
                "{'model':'a','Model':'b'}",
                "{'model':'a','max_tokens':1,'max_tokens':900}",
                "{'model':'a','max_tokens':1,'MAX_TOKENS':900}",
                "{'model':'a'} {'model':'b'}",
                "{'model':'a'",
                "\uFEFF{'model':'a'}"
            })
    void shouldNotReadWhatProvidersMayReadOtherwise(String body) {
        assertNull(read(body));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            /model/us.anthropic.claude-opus-4-5-v1%3A0/invoke                                        | {'max_tokens':7} | us.anthropic.claude-opus-4-5-v1:0
            /model/m/invoke-with-response-stream                                                     | {'max_tokens':7} | m
            /v1/projects/p/locations/r/publishers/anthropic/models/claude-haiku-4-5@2025:rawPredict   | {'max_tokens':7} | claude-haiku-4-5@2025
            /v1/publishers/anthropic/models/m:streamRawPredict                                       | {'max_tokens':7} | m
            /model/dear/invoke                                                                       | {'max_tokens':7,'model':'cheap'} |
            /model/dear/invoke                                                                       | {'max_tokens':7,'Model':'cheap'} |
            /model/m/converse                                                                        | {'model':'cheap'} |
            /model/%zz/invoke                                                                        | {'max_tokens':7} |
            /models/a/b:rawPredict                                                                   | {'max_tokens':7} |
            /model/cheap/invoke/../../dear/invoke2                                                   | {'max_tokens':7} |
            /v1/messages                                                                             | {'model':'m'}    |
            """)
    void shouldTakeTheModelOfACloudFromThePathAlone(String path, String body, String model) {
        ModelCall call = ModelCall.inCloud(path).read(body.replace('\'', '"').getBytes(StandardCharsets.UTF_8), BOUNDS);
        assertEquals(model, call == null ? null : call.model());
        assertEquals(model == null ? 0 : 7, call == null ? 0 : call.outputTokens());
    }

    @Test
    void shouldEstimateTheInputByItsBytes() {
        assertEquals(4, read("{'model':'m'}").inputTokens());
        assertEquals(50_010, read("{'model':'m','previous_response_id':'r'}").inputTokens());
    }
}
