// A device is taken into use, page by page: a flow for a navigator, which follows the state and decides what to show.

import GameFlow
import Texts
import Timers

/// A device is taken into use, page by page.
public struct Onboarding: TypedFlow {
    public enum State: FlowState {
        /// The account is being loaded, for ten seconds at most.
        case accountLoader(Countdown)
        /// That took too long.
        case accountUnavailable
        /// The first page that people see.
        case welcome
        /// The device must identify itself.
        case deviceIdentification
        /// The device is known and is being checked.
        case performDeviceChecks(mac: String)
    }

    public enum Event: Sendable, Equatable {
        case accountLoaderFinished, startFlowTapped, retry
        case deviceWasIdentified(mac: String)
        /// The account has not been loaded in time.
        case timeIsUp
    }

    public static let mac = PayloadKind.text("mac", length: 17...17, hint: "like AA:BB:CC:DD:EE:FF")
    public static let fields = [mac]
    public static let events = Catalogue<Event>(
        .plain(.accountLoaderFinished, from: .clients.union(.orchestrators)), .plain(.startFlowTapped, label: "Start"),
        .text(Event.deviceWasIdentified, mac, samples: ["AA:BB:CC:DD:EE:FF"]),
        .plain(.retry, label: "Try again"), .timer(.timeIsUp))
    public static let accountLoader = TimerPlan.countdown("accountLoader", .seconds(10), message: Event.timeIsUp)
    public static let timers = [accountLoader]

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    public func initialState() throws -> State {
        try loadAccount()()
    }

    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.accountLoader, .accountLoaderFinished): presentWelcome()
        case (.accountLoader, .timeIsUp): presentUnavailability()
        case (.accountUnavailable, .retry): loadAccount()
        case (.welcome, .startFlowTapped): presentDeviceIdentification()
        case (.deviceIdentification, .deviceWasIdentified(let mac)): try checkDevice(mac)
        default: throw .transitionNotFound
        }
    }

    private func loadAccount() -> Transition {
        { .accountLoader(try Countdown(Self.accountLoader, on: clock)) }
    }

    private func presentUnavailability() -> Transition {
        { .accountUnavailable }
    }

    private func presentWelcome() -> Transition {
        { .welcome }
    }

    private func presentDeviceIdentification() -> Transition {
        { .deviceIdentification }
    }

    public func check(_ restored: State) throws(FlowError) {
        if case .performDeviceChecks(let mac) = restored { _ = try address(mac) }
    }

    private func address(_ text: String) throws(FlowError) -> MACAddress {
        guard let mac = MACAddress(text) else {
            throw .refused("'\(text.shortened)' is no MAC address; it looks like AA:BB:CC:DD:EE:FF")
        }
        return mac
    }

    private func checkDevice(_ text: String) throws(FlowError) -> Transition {
        let mac = try address(text)
        return { .performDeviceChecks(mac: mac.description) }
    }

    public func screen(for state: State) -> Screen {
        switch state {
        case .accountLoader: Screen(title: "One moment", text: "Your account is being loaded.", progress: 0)
        case .accountUnavailable: Screen(title: "No account", text: "It could not be loaded in time.", progress: 0)
        case .welcome: Screen(title: "Welcome", text: "Let us get your device ready.", progress: 0.25)
        case .deviceIdentification: Screen(title: "Your device", text: "Switch it on and hold it close.", progress: 0.5)
        case .performDeviceChecks(let mac): Screen(title: "Checking \(mac)", text: "This takes a moment.", progress: 0.75)
        }
    }
}

/// The MAC address of a network device, written `AA:BB:CC:DD:EE:FF`.
public struct MACAddress: Codable, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Nil unless the text is six pairs of hexadecimal digits, separated by colons or hyphens.
    public init?(_ text: String) {
        let separator: Character = text.contains("-") ? "-" : ":"
        let pairs = text.split(separator: separator, omittingEmptySubsequences: false)
        guard pairs.count == 6, pairs.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
        description = pairs.joined(separator: ":").uppercased()
    }
}
