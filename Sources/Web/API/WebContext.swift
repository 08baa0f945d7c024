// The server, as its operations see it.

import Commands
import EventLoop
import HTTP
import Monitoring
import RESP
import Simulation

protocol WebContext: AnyObject {
    var host: Host { get }
    var logins: Logins { get }
    var doorman: RequestAuthenticator { get }
    var assets: Assets { get }
    var streams: Streams { get }
    var sandboxes: Sandboxes { get }
    var relay: Relay { get }
    var loop: Loop { get }
    var metrics: MetricsText { get }
    var health: Health { get }
    /// The API's description.
    var description: String { get }

    /// Whether the request is answered in a later turn.
    func setWaiting(_ call: WebCall, to: Bool)
    func isWaiting(_ call: WebCall) -> Bool
    /// The answer leaves when the turn's output does.
    func answer(_ request: HTTPRequest, _ response: HTTPResponse)
    func fail(_ request: HTTPRequest, _ error: CommandError, _ headers: [(name: String, value: String)])
    /// Nil if the connection is gone.
    func beginStream(_ request: HTTPRequest, _ headers: [(name: String, value: String)]) -> HTTPStream?
}
