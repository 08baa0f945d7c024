// Flows: their descriptions and diagrams.

import Commands
import Diagrams
import GameFlow
import RESP
import Sessions

extension Route {
    static let flows: [Route] = [
        Route(.get, "/api/flows", "The flows that are hosted.", needs: .reads(.nothing), answer: "FlowList") { call in
            call.answer(["flows": .array(call.host.sessions.flows.map(\.webJSON))])
        },
        Route(
            .get, "/api/flows/{flow}", "A flow: its states, events, timers and parameters.", needs: .reads(.nothing),
            answer: "Flow"
        ) {
            call throws(CommandError) in call.answer(try call.flow().webJSON)
        },
        Route(
            .get, "/api/flows/{flow}/diagram", "A flow's diagram.", needs: .reads(.nothing),
            query: [.optional("format", .choice(["svg", "dot", "mermaid"]), "svg (default), dot or mermaid")],
            contentType: "image/svg+xml", otherTypes: ["text/plain"]
        ) { call throws(CommandError) in
            let language = call.target.value("format").flatMap(DiagramLanguage.init(_:)) ?? .svg
            let type = language == .svg ? "image/svg+xml" : "text/plain; charset=utf-8"
            call.perform(DiagramRequest(flow: try call.flow().name, language: language)) { call.answer($0.text, type: type) }
        },
        Route(
            .get, "/api/flows/{flow}/graph", "A flow's states and edges, by the ids of its diagram.",
            needs: .reads(.nothing), answer: "Graph"
        ) { call throws(CommandError) in
            let flow = try call.flow()
            call.wait(for: { call.host.diagrams.text(of: flow, \.json.description, onDone: $0) }) { text in
                switch text {
                case .success(let text): call.answer(text)
                case .failure(let error): call.fail(error)
                }
            }
        },
    ]
}

extension WebCall {
    func flow() throws(CommandError) -> FlowKind { try host.flow(named: parameter("flow")) }
}

// MARK: - Simulated Bluetooth devices.

extension Route {
    static let devices: [Route] = [
        Route(.get, "/api/devices", "The simulated devices.", needs: .reads(.everything), answer: "Devices") { call in
            call.answer(["devices": .array(call.host.devices.reports.map(\.webJSON))])
        },
        deviceAction("connect", "Connects a device.", ConnectDeviceRequest.self) { _ in nil },
        deviceAction("disconnect", "Disconnects a device.", DisconnectDeviceRequest.self) { _ in nil },
        deviceAction("notify", "Sends a notification of a device: a button press or a measurement.", NotifyRequest.self) { $0 },
        deviceAction("advertise", "Sends an advertisement of a device.", AdvertiseRequest.self) { $0 },
    ]

    /// Answers with the number of events that sessions have accepted.
    private static func deviceAction<Request: CommandRequest>(
        _ word: String, _ summary: String, _: Request.Type, _ events: @escaping @Sendable (Request.Value) -> Int?
    ) -> Route {
        command("/api/devices/{device}/\(word)", summary, Request.self, answer: "DeviceAnswer") {
            ["events": events($0).map { .integer($0) } ?? .null]
        }
    }
}
