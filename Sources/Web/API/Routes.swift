// Everything that can be asked for over HTTP.

extension Route {
    static let all: [Route] = pages + sessions + deeds + flows + time + devices + service + cluster + streams + sandboxes
}
