import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.List;

/** {@code Main PORT FILE}: serves the databases in a file on the loopback. */
public final class Main {
  public static void main(String[] args) {
    var server = new MongoServer(new WrittenBackend(args[1]).version(new Version()));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    server.bind("127.0.0.1", Integer.parseInt(args[0]));
  }

  /** Answers once the change is in the file; by itself, the file is written once a second. */
  private static final class WrittenBackend extends H2Backend {
    WrittenBackend(String file) {
      super(file);
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      var answer = super.handleMessage(message);
      commit();
      return answer;
    }
  }

  /** Drivers ask for more than the server says it is. */
  private static final class Version implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(7, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 21;
    }
  }
}
