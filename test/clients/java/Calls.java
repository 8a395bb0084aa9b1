import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Calls a server by LangChain4j. Arguments: the address, the key. Prints a line for each call. */
public class Calls {
  static final JsonObjectSchema CITY =
      JsonObjectSchema.builder().addStringProperty("name").addIntegerProperty("inhabitants").required("name", "inhabitants").build();
  static final ToolSpecification FIND = ToolSpecification.builder().name("find").description("Finds").parameters(CITY).build();
  static final ChatMessage SAID = UserMessage.from("Name a city");

  public static void main(String[] args) throws Exception {
    String url = args[0] + "/v1";
    String key = args[1];
    for (String model : List.of("acme/chat", "acme/claude")) {
      ChatModel openAi = OpenAiChatModel.builder().baseUrl(url).apiKey(key).modelName(model).maxRetries(0).build();
      StreamingChatModel openAiStream = OpenAiStreamingChatModel.builder().baseUrl(url).apiKey(key).modelName(model).build();
      told("openai " + model, openAi, openAiStream);
      ChatModel anthropic = AnthropicChatModel.builder().baseUrl(url).apiKey(key).modelName(model).maxTokens(100).maxRetries(0).build();
      StreamingChatModel anthropicStream = AnthropicStreamingChatModel.builder().baseUrl(url).apiKey(key).modelName(model).maxTokens(100).build();
      told("anthropic " + model, anthropic, anthropicStream);
    }
    structured("acme/chat", url, key);
    thinking(url, key);
    for (String model : List.of("acme/embed", "anneal/embedder-base-v1")) {
      var embedder = OpenAiEmbeddingModel.builder().baseUrl(url).apiKey(key).modelName(model).maxRetries(0).build();
      System.out.println("vectors " + model + ": " + embedder.embedAll(List.of(TextSegment.from("one"), TextSegment.from("two"))).content().size());
    }
    // The HTTP client keeps threads for later requests.
    System.exit(0);
  }

  static void told(String name, ChatModel model, StreamingChatModel streaming) throws Exception {
    System.out.println(name + ", whole: " + model.chat(SAID).aiMessage().text());
    System.out.println(name + ", streamed: " + streamed(streaming, ChatRequest.builder().messages(SAID).build()).aiMessage().text());
    System.out.println(name + ", tools: " + withTools(request -> model.chat(request)));
    System.out.println(name + ", tools streamed: " + withTools(request -> streamed(streaming, request)));
  }

  interface Ask {
    ChatResponse of(ChatRequest request) throws Exception;
  }

  static String withTools(Ask ask) throws Exception {
    List<ChatMessage> messages = new ArrayList<>(List.of(SAID));
    AiMessage first = ask.of(ChatRequest.builder().messages(messages).toolSpecifications(FIND).build()).aiMessage();
    messages.add(first);
    for (ToolExecutionRequest call : first.toolExecutionRequests()) messages.add(ToolExecutionResultMessage.from(call, "Lyon"));
    AiMessage second = ask.of(ChatRequest.builder().messages(messages).toolSpecifications(FIND).build()).aiMessage();
    return first.toolExecutionRequests().get(0).name() + ", " + second.text();
  }

  static void structured(String model, String url, String key) {
    JsonSchema schema = JsonSchema.builder().name("city").rootElement(CITY).build();
    ResponseFormat format = ResponseFormat.builder().type(ResponseFormatType.JSON).jsonSchema(schema).build();
    ChatModel chat = OpenAiChatModel.builder().baseUrl(url).apiKey(key).modelName(model).strictJsonSchema(true).maxRetries(0).build();
    String text = chat.chat(ChatRequest.builder().messages(SAID).responseFormat(format).build()).aiMessage().text();
    System.out.println("structured: " + (text.contains("\"inhabitants\"") ? "a city" : text));
  }

  /** Thoughts of a model of OpenAI's style come without a signature, and are sent back so. */
  static void thinking(String url, String key) throws Exception {
    var model = AnthropicStreamingChatModel.builder().baseUrl(url).apiKey(key).modelName("acme/chat").maxTokens(4000);
    var thinks = model.thinkingType("enabled").thinkingBudgetTokens(2000).returnThinking(true).sendThinking(true).build();
    AiMessage first = streamed(thinks, ChatRequest.builder().messages(SAID).build()).aiMessage();
    List<ChatMessage> messages = List.of(SAID, first, UserMessage.from("Another"));
    AiMessage second = streamed(thinks, ChatRequest.builder().messages(messages).build()).aiMessage();
    System.out.println("thinking: " + (first.thinking() != null) + ", " + second.text());
  }

  static ChatResponse streamed(StreamingChatModel model, ChatRequest request) throws Exception {
    CompletableFuture<ChatResponse> whole = new CompletableFuture<>();
    model.chat(
        request,
        new StreamingChatResponseHandler() {
          public void onPartialResponse(String text) {}

          public void onCompleteResponse(ChatResponse response) {
            whole.complete(response);
          }

          public void onError(Throwable error) {
            whole.completeExceptionally(error);
          }
        });
    return whole.get();
  }
}
