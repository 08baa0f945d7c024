// Values for the built-in flows: data for every state, payloads for every event; right, nearly right, and wrong.

import Statecharts
import GameFlow
@testable import Console
@testable import Simulation
@testable import Sessions

/// A session's name, and the flow that it mostly is of.
struct Role {
    let name: [UInt8]
    let flow: String

    init(_ name: String, _ flow: String) {
        (self.name, self.flow) = (Array(name.utf8), flow)
    }

    /// Devices are bound to `hall` and `main`. Two names look the same and differ.
    static let all = [
        Role("a", "turns"), Role("b", "turns"), Role("hall", "turns"), Role("é", "turns"), Role("e\u{301}", "turns"),
        Role("main", "game"), Role("main", "game"), Role("g", "game"), Role("s", "startup"), Role("t", "startup"),
        Role("o", "onboarding"),
        Role("r", "registration"), Role("p", "permissions"),
        Role("c", "stage"), Role("d", "stage"), Role("k", "clocks"), Role("l", "sized"),
    ]
}

/// The shape of a state: `#` stands for a number, `$` for a text, `@x` for the timer of that name, `?` for `true` or `false`.
struct StateShape {
    let state: String
    let data: String

    static let all: [String: [StateShape]] = [
        "turns": [StateShape("first", #""turn":@turn"#), StateShape("second", #""turn":@turn"#)],
        "game": [
            StateShape("introduction", ""), StateShape("help", #""help":@help"#),
            StateShape("choosingEpisode", #""choosingEpisode":@choosingEpisode"#),
            StateShape("choosingLevel", ##""episode":#,"choosingLevel":@choosingLevel"##),
            StateShape("playingLevel", ##""episode":#,"level":#,"play":{"timeLimit":@timeLimit,"tick":@tick,"seconds":#}"##),
            // The one with two timers.
            StateShape("playingLevel", ##""episode":#,"level":#,"play":{"timeLimit":@timeLimit,"tick":@tick,"seconds":#}"##),
            StateShape("playingLevel", ##""episode":#,"level":#,"play":{"timeLimit":@timeLimit,"tick":@tick,"seconds":#}"##),
            StateShape("finishedLevel", ##""episode":#,"level":#,"score":#,"finishedLevel":@finishedLevel"##),
        ],
        "startup": [
            StateShape("launching", ""), StateShape("hydrating", #""hydrating":@hydrating"#), StateShape("needsLogin", ""),
            StateShape("authenticating", #""authenticating":@authenticating"#), StateShape("error", #""message":$"#),
            StateShape("ready", #""userID":$,"link":$"#),
        ],
        "registration": [
            StateShape("login", ""), StateShape("createProfile", #""name":$,"timer":@inactivity"#),
            StateShape("facebookProfile", #""timer":@inactivity"#),
            StateShape("selectAvatar", #""origin":"facebookProfile","name":"Ann","timer":@inactivity"#),
            StateShape("selectAvatar", #""origin":$,"avatar":$,"timer":@inactivity"#),
            StateShape("termsAndConditions", #""terms":?,"timer":@inactivity"#), StateShape("finished", ""),
        ],
        "onboarding": [
            StateShape("accountLoader", ##""percent":#,"accountLoader":@accountLoader"##),
            StateShape("accountUnavailable", #""message":$"#), StateShape("welcome", #""account":$"#),
            StateShape("deviceIdentification", #""account":"Ann","message":$"#),
            StateShape(
                "performDeviceChecks",
                #""account":"Ann","mac":"AA:BB:CC:DD:EE:0F","performDeviceChecks":@performDeviceChecks"#),
            StateShape("performDeviceChecks", #""account":"Ann","mac":$"#),
            StateShape("deviceReady", #""account":"Ann","mac":"AA:BB:CC:DD:EE:0F""#),
        ],
        "permissions": [
            StateShape("initial", ""), StateShape("pushNotificationsAsk", #""timer":@pushNotificationsAsk"#),
            StateShape("pushNotificationsDisplay", #""timer":@pushNotificationsDisplay"#),
            StateShape("locationAsk", #""pushNotifications":"denied","timer":@locationAsk"#),
            StateShape("locationDisplay", #""pushNotifications":$,"timer":@locationDisplay"#), StateShape("onboarded", ""),
        ],
        "stage": [
            StateShape("closed", ##""rounds":#,"seconds":#"##), StateShape("show", ##""rounds":#,"said":$"##),
            StateShape("loud,red", ##""rounds":6"##), StateShape("show.music.on.soft", ""), StateShape("dark", ""),
            StateShape("show.music.over,show.lamp.dark", ##""marks":[#,$]"##), StateShape("show.asBefore", ""),
        ],
        "clocks": [StateShape("a.two,b.two", ##""left":#"##), StateShape("a.one", #""name":$"#), StateShape("b.one", "")],
        "sized": [
            StateShape("s0", ##""count":#"##), StateShape("wide", ""), StateShape("deep", ""), StateShape("deep.before", ""),
        ],
    ]

    private init(_ state: String, _ data: String) {
        (self.state, self.data) = (state, data)
    }
}

/// The flows as the daemon knows them.
struct HostedFlow {
    let name: String
    let events: [AcceptedEvent]
    let timers: [String]
    let shapes: [StateShape]

    static let all: [HostedFlow] = {
        let charts = HostedCharts.definitions(ChartSize()).compactMap { try? FlowKind.chart($0) }
        return (FlowKind.builtIn(work: StandIns().work) + charts).map { type in
            HostedFlow(
                name: type.name, events: type.events, timers: type.timers.map(\.name),
                shapes: StateShape.all[type.name] ?? [])
        }
    }()

    static func named(_ name: String) -> HostedFlow? { all.first { $0.name == name } }
    static let allTimers = all.flatMap(\.timers)
}

extension Choices {
    /// The data of a state, without the braces.
    mutating func data(_ shape: StateShape) -> String {
        var (text, rest) = ("", shape.data[...])
        while let mark = rest.firstIndex(where: { "#$@?".contains($0) }) {
            text += rest[..<mark]
            let kind = rest[mark]
            rest = rest[rest.index(after: mark)...]
            let name = rest.prefix { $0.isLetter }
            if kind == "@" { rest = rest.dropFirst(name.count) }
            text += kind == "#" ? levelNumber() : kind == "$" ? quoted() : timer(String(name))
        }
        return text + rest
    }

    private mutating func levelNumber() -> String { happens(200) ? "\(1 + number(below: 4))" : integer() }

    /// A timer as it is saved.
    private mutating func timer(_ name: String) -> String {
        let left = happens(128) ? "\(number(below: 40_000))000000" : integer()
        switch byte() {
        case ..<60: return "{}"
        case ..<140: return #"{"timer":"\#(name)","remaining_ns":\#(left),"paused":false}"#
        case ..<180: return #"{"timer":"\#(name)","remaining_ns":\#(left),"paused":true}"#
        case ..<200: return #"{"remaining_ns":\#(left)}"#
        case ..<210: return #"{"timer":"\#(name)","remaining_ns":null}"#
        case ..<230: return #"{"timer":"\#(one(of: HostedFlow.allTimers))","remaining_ns":\#(left)}"#
        case ..<240: return #"{"timer":"\#(name)","remaining_ms":\#(happens(128) ? "\(number(below: 40_000))" : integer())}"#
        default: return happens(128) ? "null" : quoted()
        }
    }

    /// FORCE's argument after a state.
    mutating func forced(into shape: StateShape) -> String {
        switch byte() {
        case ..<200: "{" + data(shape) + "}"
        case ..<230:
            #"{"episode":2,"level":3,"score":7,"message":"no","userID":"bob","mac":"AA:BB:CC:DD:EE:FF","play":{"seconds":4}}"#
        default: String(decoding: text(), as: UTF8.self)
        }
    }

    /// NEW's argument after a flow.
    mutating func beginning(in shape: StateShape) -> String {
        let data = data(shape)
        switch byte() {
        case ..<128: return #"{"state":"\#(shape.state)"\#(data.isEmpty ? "" : ",")\#(data)}"#
        case ..<200: return #"{"state":"\#(shape.state)","data":{\#(data)}}"#
        case ..<220: return "{\(data)}"
        case ..<235: return #"{"state":\#(quoted())}"#
        default: return String(decoding: text(), as: UTF8.self)
        }
    }

    /// The payload of an event; nil without one.
    mutating func payload(of event: AcceptedEvent) -> [UInt8]? {
        guard let payload = event.payload else { return happens(24) ? text() : nil }
        if happens(12) { return nil }
        let value =
            switch payload.shape {
            case .integer, .number: happens(190) ? "\(1 + number(below: 4))" : integer()
            case .text: happens(60) ? "AA:BB:CC:DD:EE:0\(number(below: 10))" : quoted()
            case .boolean: happens(128) ? "true" : "false"
            case .object: happens(128) ? #"{"hasSession":true,"userID":\#(quoted())}"# : #"{"hasSession":false}"#
            }
        switch byte() {
        case ..<150: return Array(value.utf8)
        case ..<200: return Array(#"{"\#(payload.name)":\#(value)}"#.utf8)
        default: return text()
        }
    }
}
