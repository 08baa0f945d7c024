// One status for each code of an error.

import RESP
import Texts

extension ErrorCode {
    /// The code and its status, as the documentation lists them.
    static let statuses: [(code: ErrorCode, status: Int)] = [
        (.noSession, 404), (.noFlow, 404), (.noTimer, 404), (.noDevice, 404), (.noPage, 404),
        (.noTransition, 409), (.stale, 409), (.vetoed, 409), (.exists, 409), (.setAside, 409), (.notConnected, 409),
        (.busy, 409),
        (.badEvent, 400), (.badName, 400), (.badFlow, 400), (.badDevices, 400), (.generic, 400), (.wrongToken, 401),
        (.notAuthenticated, 401), (.noPermission, 403), (.moved, 421), (.crossSlot, 400), (.noMethod, 405), (.noJSON, 415),
        (.limit, 429), (.quota, 429),
        (.journal, 503),
        (.tryAgain, 503), (.clusterDown, 503),
        (.loading, 503), (.unknown, 500), (.backupFailed, 500), (.timeout, 504),
    ]

    var status: Int { Self.statuses.first { $0.code == self }?.status ?? 400 }
}
