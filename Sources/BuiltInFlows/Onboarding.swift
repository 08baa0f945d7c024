// A device is taken into use, page by page: a flow for a navigator, which follows the state and decides what to show. An orchestrator loads the
// account and checks the device; only orchestrators report the results.

import GameFlow
import Texts

/// A device is taken into use, page by page.
public struct Onboarding: TypedFlow {
    public enum State: FlowState {
        /// The account is being loaded, for ten seconds at most; `percent` of it is there.
        case accountLoader(percent: Int, Countdown)
        /// There is no account, which can be tried again.
        case accountUnavailable(message: String)
        /// The first page that people see.
        case welcome(account: String)
        /// The device must identify itself. `message` says why an earlier one did not pass; empty at first.
        case deviceIdentification(account: String, message: String)
        /// The device is known and is being checked, for half a minute at most.
        case performDeviceChecks(account: String, mac: String, Countdown)
        /// The device can be used.
        case deviceReady(account: String, mac: String)
    }

    public enum Event: Sendable, Equatable {
        case accountLoading(percent: Int)
        case accountLoaderFinished(account: String)
        case accountLoaderFailed(message: String)
        case startFlowTapped, retry
        case deviceWasIdentified(mac: String)
        case deviceChecksPassed
        case deviceChecksFailed(message: String)
        /// The account has not been loaded in time, or the device has not been checked in time.
        case timeIsUp
    }

    public static let percent = PayloadKind.integer("percent", in: 0...100)
    public static let account = PayloadKind.text("account", length: 1...100)
    public static let mac = PayloadKind.text("mac", length: 17...17, hint: "like AA:BB:CC:DD:EE:FF")
    public static let fields = [
        percent.defaulting(to: 0), account.defaulting(to: "guest"), mac, .text("message").defaulting(to: ""),
    ]
    public static let events = Catalogue<Event>(
        .integer(Event.accountLoading, percent, from: .orchestrators, samples: [50]),
        .text(Event.accountLoaderFinished, account, from: .orchestrators, samples: ["Ann"]),
        .text(Event.accountLoaderFailed, from: .orchestrators, samples: ["the account is not there"]),
        .plain(.startFlowTapped, label: "Start"), .plain(.retry, label: "Try again"),
        .text(Event.deviceWasIdentified, mac, label: "Identify the device", samples: ["AA:BB:CC:DD:EE:FF"]),
        .plain(.deviceChecksPassed, from: .orchestrators),
        .text(Event.deviceChecksFailed, from: .orchestrators, samples: ["it does not answer"]), .timer(.timeIsUp))

    public static let accountLoader = TimerPlan.countdown("accountLoader", .seconds(10), message: Event.timeIsUp)
    public static let performDeviceChecks = TimerPlan.countdown("performDeviceChecks", .seconds(30), message: Event.timeIsUp)
    public static let timers = [accountLoader, performDeviceChecks]

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    public func initialState() throws -> State {
        try loadAccount()()
    }

    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.accountLoader(_, let countdown), .accountLoading(let percent)): { .accountLoader(percent: percent, countdown) }
        case (.accountLoader, .accountLoaderFinished(let account)): { .welcome(account: account) }
        case (.accountLoader, .accountLoaderFailed(let message)): { .accountUnavailable(message: message) }
        case (.accountLoader, .timeIsUp): { .accountUnavailable(message: "it did not load within 10 s") }
        case (.accountUnavailable, .retry): loadAccount()
        case (.welcome(let account), .startFlowTapped): { .deviceIdentification(account: account, message: "") }
        case (.deviceIdentification(let account, _), .deviceWasIdentified(let mac)): try checkDevice(mac, account)
        case (.performDeviceChecks(let account, let mac, _), .deviceChecksPassed): { .deviceReady(account: account, mac: mac) }
        case (.performDeviceChecks(let account, _, _), .deviceChecksFailed(let message)): identifyAgain(account, message)
        case (.performDeviceChecks(let account, _, _), .timeIsUp): identifyAgain(account, "the checks took too long")
        default: throw .transitionNotFound
        }
    }

    public func isFinal(_ state: State) -> Bool {
        if case .deviceReady = state { true } else { false }
    }

    private func loadAccount() -> Transition {
        { .accountLoader(percent: 0, try Countdown(Self.accountLoader, on: clock)) }
    }

    private func checkDevice(_ text: String, _ account: String) throws(FlowError) -> Transition {
        let mac = try address(text)
        return {
            .performDeviceChecks(account: account, mac: mac.description, try Countdown(Self.performDeviceChecks, on: clock))
        }
    }

    private func identifyAgain(_ account: String, _ message: String) -> Transition {
        { .deviceIdentification(account: account, message: message) }
    }

    public func check(_ restored: State) throws(FlowError) {
        switch restored {
        case .performDeviceChecks(_, let mac, _), .deviceReady(_, let mac): _ = try address(mac)
        case .accountLoader, .accountUnavailable, .welcome, .deviceIdentification: break
        }
    }

    private func address(_ text: String) throws(FlowError) -> MACAddress {
        guard let mac = MACAddress(text) else {
            throw .refused("'\(text.shortened)' is no MAC address; it looks like AA:BB:CC:DD:EE:FF")
        }
        return mac
    }

    public func screen(for state: State) -> Screen {
        switch state {
        case .accountLoader(let percent, _):
            Screen(
                title: "One moment", text: "Your account is being loaded: \(percent) %.", progress: Double(percent) / 400)
        case .accountUnavailable(let message): Screen(title: "No account", text: message, progress: 0)
        case .welcome(let account):
            Screen(title: "Welcome, \(account)", text: "Let us get your device ready.", progress: 0.25)
        case .deviceIdentification(_, let message):
            Screen(title: "Your device", text: Self.request(after: message), progress: 0.5)
        case .performDeviceChecks(_, let mac, _):
            Screen(title: "Checking \(mac)", text: "This takes a moment.", progress: 0.75)
        case .deviceReady(_, let mac): Screen(title: "All set", text: "\(mac) can be used.", progress: 1)
        }
    }

    private static func request(after message: String) -> String {
        let request = "Switch it on and hold it close."
        return message.isEmpty ? request : "That did not work: \(message). \(request)"
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

    /// Whether it is the address of one device: neither that of a group nor zero.
    public var isUnicast: Bool {
        guard let first = UInt8(description.prefix(2), radix: 16) else { return false }
        return first & 1 == 0 && description != "00:00:00:00:00:00"
    }
}

// MARK: - The work of the flow `onboarding`, behind two small protocols, with its results reported as events.

/// Loads the account of a session.
public protocol AccountLoader: Sendable {
    /// The account's name. Reports its progress in percent meanwhile.
    func load(for session: String, progress: @Sendable (Int) async -> Void) async throws -> String
}

/// Checks a device.
public protocol DeviceChecker: Sendable {
    /// Throws an error that says why the device cannot be used.
    func check(_ mac: MACAddress, for session: String) async throws
}

extension FlowDefinition<Onboarding> {
    /// Does the work of the flow's states: loads the account, checks the device.
    public mutating func work(with accounts: any AccountLoader, _ devices: any DeviceChecker) {
        orchestrate { session, state in
            switch state {
            case .accountLoader: { await Self.load(accounts, session) }
            case .performDeviceChecks(_, let mac, _): { await Self.check(devices, mac, session.name) }
            case .accountUnavailable, .welcome, .deviceIdentification, .deviceReady: nil
            }
        }
    }

    private static func load(
        _ accounts: any AccountLoader, _ session: WorkingSession<Onboarding.Event>
    ) async -> Onboarding.Event {
        do {
            let account = try await accounts.load(for: session.name) { percent in
                await session.send(.accountLoading(percent: min(max(0, percent), 100)))
            }
            return .accountLoaderFinished(account: account)
        } catch {
            return .accountLoaderFailed(message: "\(error)")
        }
    }

    private static func check(_ devices: any DeviceChecker, _ mac: String, _ session: String) async -> Onboarding.Event {
        guard let mac = MACAddress(mac) else { return .deviceChecksFailed(message: "'\(mac.shortened)' is no MAC address") }
        do {
            try await devices.check(mac, for: session)
            return .deviceChecksPassed
        } catch {
            return .deviceChecksFailed(message: "\(error)")
        }
    }
}
