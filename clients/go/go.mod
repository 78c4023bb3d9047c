module fs-sidecar/ask

go 1.19

require (
	github.com/fs-sidecar/client v0.0.0
	github.com/antihax/optional v1.0.0
)

require golang.org/x/oauth2 v0.0.0-20190604053449-0f29369cfe45 // indirect

replace (
	github.com/fs-sidecar/client => ../generated/go
	github.com/antihax/optional => ./optional
	golang.org/x/oauth2 => ./oauth2
)
