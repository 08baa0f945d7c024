// A page for each state of the flow `onboarding`: what it shows, and what a line that people type means on it.

import GamedClient

enum Page: Equatable {
    case loading(percent: Int)
    case unavailable(reason: String)
    case welcome(account: String)
    case identification(problem: String)
    case checking(mac: String)
    case ready(mac: String)
    /// A state that this program does not know: the daemon may be newer. It shows the view's title and text.
    case other(title: String, text: String)

    init(of view: SessionView) {
        let data = view.data
        switch view.state {
        case "accountLoader": self = .loading(percent: data["percent"]?.integer ?? 0)
        case "accountUnavailable": self = .unavailable(reason: data["message"]?.text ?? "")
        case "welcome": self = .welcome(account: data["account"]?.text ?? "")
        case "deviceIdentification": self = .identification(problem: data["message"]?.text ?? "")
        case "performDeviceChecks": self = .checking(mac: data["mac"]?.text ?? "")
        case "deviceReady": self = .ready(mac: data["mac"]?.text ?? "")
        default: self = .other(title: view.title, text: view.text)
        }
    }

    var text: String {
        switch self {
        case .loading(let percent): "Loading your account … \(percent) %"
        case .unavailable(let reason): "There is no account: \(reason)\nPress return to try again."
        case .welcome(let account): "Welcome, \(account)!\nPress return to begin."
        case .identification(""): "Type your device's address, like AA:BB:CC:DD:EE:FF."
        case .identification(let problem): "That did not work: \(problem)\nType your device's address, like AA:BB:CC:DD:EE:FF."
        case .checking(let mac): "Checking \(mac) …"
        case .ready(let mac): "All set: \(mac) can be used."
        case .other(let title, let text): text.isEmpty ? title : "\(title)\n\(text)"
        }
    }

    /// The event that the line sends from this page; nil if the page takes no input.
    func event(for line: String) -> (name: String, payload: String?)? {
        switch self {
        case .unavailable: ("retry", nil)
        case .welcome: ("startFlowTapped", nil)
        case .identification: ("deviceWasIdentified", line)
        case .loading, .checking, .ready, .other: nil
        }
    }
}
