"""Makes a project by the generated client, and reads it by the generated models. Arguments: the address, the key."""

import sys
import urllib.request

import models
from client import Client
from client.api.projects import post_projects
from client.models import CreateProjectBody

url, key = sys.argv[1:]
project = post_projects.sync(
    client=Client(base_url=url, headers={"X-API-Key": key}),
    body=CreateProjectBody(name="python"),
)
request = urllib.request.Request(f"{url}/projects", headers={"X-API-Key": key})
with urllib.request.urlopen(request) as answer:
    listed = models.ProjectList.model_validate_json(answer.read())
print(project.name, project.name in [one.name for one in listed.projects])
