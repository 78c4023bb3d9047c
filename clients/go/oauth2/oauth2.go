// Package oauth2 has what a generated client names of golang.org/x/oauth2, so
// that it is built without fetching anything. The service has no OAuth 2.
package oauth2

import "net/http"

// Token is an access token.
type Token struct {
	AccessToken string
}

// SetAuthHeader sends the token with a request.
func (token *Token) SetAuthHeader(request *http.Request) {
	request.Header.Set("Authorization", "Bearer "+token.AccessToken)
}

// TokenSource gives tokens.
type TokenSource interface {
	Token() (*Token, error)
}
