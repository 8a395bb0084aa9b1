import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ProjectsApi;
import org.openapitools.client.model.CreateProjectBody;

/** Makes a project by the generated client. Arguments: the address, the key. */
public class Call {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient().setBasePath(args[0]).addDefaultHeader("X-API-Key", args[1]);
    System.out.println(new ProjectsApi(client).postProjects(new CreateProjectBody().name("java"), null).getName());
    // okhttp keeps threads for later requests.
    System.exit(0);
  }
}
