// Simulated Bluetooth devices.

import Commands
import GameFlow
import RESP
import ReplyJSON

extension Route {
    static let devices: [Route] = [
        Route(.get, "/api/devices", "The simulated devices.", needs: .reads(.everything), answer: "Devices") { call in
            call.answer(["devices": .array(call.host.devices.reports.map(\.webJSON))])
        },
        deviceDeed("connect", "Connects a device.", []) { ["BLUETOOTH", "CONNECT", $0.parameter("device")] },
        deviceDeed("disconnect", "Disconnects a device.", []) { ["BLUETOOTH", "DISCONNECT", $0.parameter("device")] },
        deviceDeed(
            "notify", "Has a device notify: a button is pressed, a sensor measures.",
            [.needed("what", .text, "which of its notifications"), .optional("value", .any, "a value for it")]
        ) { call in
            let words = (call.text("what") ?? "").split(separator: " ").map(String.init)
            return ["BLUETOOTH", "NOTIFY", call.parameter("device")] + words + (call.valueWord.map { [$0] } ?? [])
        },
        deviceDeed("advertise", "Has a device advertise.", [.optional("value", .any, "what, in place of its file's data")]) {
            call in ["BLUETOOTH", "ADVERTISE", call.parameter("device")] + (call.valueWord.map { [$0] } ?? [])
        },
    ]

    private static func deviceDeed(
        _ word: String, _ summary: String, _ body: [Field], _ command: @escaping @Sendable (WebCall) -> [String]
    ) -> Route {
        Route(.post, "/api/devices/{device}/\(word)", summary, needs: .plays(.everything), body: body, answer: "DeviceAnswer") {
            call in
            call.run(command(call)) { reply in call.answer(["events": reply.integer.map { .integer($0) } ?? .null]) }
        }
    }
}

extension WebCall {
    fileprivate var valueWord: String? { text("value") ?? json("value") }
}

extension Reply {
    fileprivate var integer: Int? { if case .integer(let value) = self { value } else { nil } }
}
