// What the daemon says of itself: to Prometheus, to whoever asks for its health, and on the page.

import GameFlow

package protocol DaemonFigures: AnyObject {
    /// In Prometheus' text format.
    func metrics() -> String
    /// Whether it can be used, and why not.
    func readiness(whenKnown: @escaping (_ isReady: Bool, _ reason: String) -> Void)
    /// The members of the page's status that are not about sessions themselves.
    func status() -> [JSON.Member]
}
