package main

import (
	"context"
	"fmt"
	"os"

	"example.com/anneal"
)

// Makes a project by the generated client. Arguments: the address, the key.
func main() {
	configuration := anneal.NewConfiguration()
	configuration.Servers = anneal.ServerConfigurations{{URL: os.Args[1]}}
	configuration.AddDefaultHeader("X-API-Key", os.Args[2])
	call := anneal.NewAPIClient(configuration).ProjectsAPI.PostProjects(context.Background())
	project, _, err := call.CreateProjectBody(*anneal.NewCreateProjectBody("go")).Execute()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(project.Name)
}
