// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Jug, RAY, Vat, healthOf, owedOf} from "../shared/vat.sol";

interface Manager {
    function first(address owner) external view returns (uint256);
    function list(uint256 cdp) external view returns (uint256 prev, uint256 next);
    function urns(uint256 cdp) external view returns (address);
    function ilks(uint256 cdp) external view returns (bytes32);
}

interface Registry {
    function gem(bytes32 ilk) external view returns (address);
    function dec(bytes32 ilk) external view returns (uint256);
}

interface Pot {
    function pie(address owner) external view returns (uint256);
    function drip() external returns (uint256 chi);
}

interface DsrManager {
    function pieOf(address owner) external view returns (uint256);
}

interface Proxy {
    function owner() external view returns (address);
}

/**
 * What a wallet and its proxies have at Maker's Vat and savings. Fees and savings are accrued first, by the protocol's own
 * functions. It is never deployed: its runtime code travels with the call.
 */
contract MakerLens {
    struct Maker {
        Vat vat;
        Jug jug;
        Pot pot;
        Manager manager;
        Registry registry;
        DsrManager dsrManager;
    }
    struct Cdp {
        // Zero of an urn that is the wallet itself.
        uint256 number;
        bytes32 ilk;
        address urn;
        address gem;
        // In base units of the collateral; freed: not locked, such as what a liquidation left.
        uint256 locked;
        uint256 freed;
        uint256 owed;
        // 18 decimals; the maximum without debt.
        uint256 health;
    }
    struct Found {
        Cdp[] cdps;
        // Numbers of those that could not be read.
        uint256[] refused;
        // There are more than were looked at.
        bool isCut;
        uint256 count;
        uint256 failed;
    }
    struct Urn {
        uint256 number;
        bytes32 ilk;
        address place;
    }

    /// Of one owner, and of all together: anyone may open CDPs in the name of another.
    uint256 private constant MOST_CDPS = 256;
    uint256 private constant CDP_GAS = 500_000;
    uint256 private constant RESERVE = 500_000;
    uint256 private constant OWNER_GAS = 50_000;

    /// The CDPs of the wallet and of those proxies that are its, and its own urns of these kinds.
    function cdps(Maker calldata at, address wallet, address[] calldata proxies, bytes32[] calldata own)
        external
        returns (Found memory found)
    {
        found.cdps = new Cdp[](MOST_CDPS + own.length);
        found.refused = new uint256[](found.cdps.length);
        for (uint256 i = 0; i < own.length; i++) read(at, found, Urn(0, own[i], wallet));
        walk(at, found, wallet);
        for (uint256 i = 0; i < proxies.length; i++) {
            if (isOwned(proxies[i], wallet)) walk(at, found, proxies[i]);
        }
        (Cdp[] memory known, uint256[] memory refused) = (found.cdps, found.refused);
        (uint256 count, uint256 failed) = (found.count, found.failed);
        assembly ("memory-safe") {
            mstore(known, count)
            mstore(refused, failed)
        }
    }

    function walk(Maker calldata at, Found memory found, address owner) private {
        uint256 number = at.manager.first(owner);
        for (uint256 n = 0; number != 0; n++) {
            bool isFull = n == MOST_CDPS || found.count + found.failed == found.cdps.length;
            if (isFull || gasleft() < CDP_GAS + RESERVE) {
                found.isCut = true;
                return;
            }
            read(at, found, Urn(number, at.manager.ilks(number), at.manager.urns(number)));
            (, number) = at.manager.list(number);
        }
    }

    /// One by one, so that one that cannot be read leaves the others.
    function read(Maker calldata at, Found memory found, Urn memory urn) private {
        (uint256 ink, uint256 art) = at.vat.urns(urn.ilk, urn.place);
        if (ink == 0 && art == 0 && at.vat.gem(urn.ilk, urn.place) == 0) return;
        try this.cdp{gas: CDP_GAS}(at, urn) returns (Cdp memory one) {
            found.cdps[found.count++] = one;
        } catch {
            found.refused[found.failed++] = urn.number;
        }
    }

    function cdp(Maker calldata at, Urn calldata urn) external returns (Cdp memory one) {
        (bytes32 ilk, address place) = (urn.ilk, urn.place);
        (uint256 ink, uint256 art) = at.vat.urns(ilk, place);
        uint256 unit = 10 ** (18 - at.registry.dec(ilk));
        (one.number, one.ilk, one.urn, one.gem) = (urn.number, ilk, place, at.registry.gem(ilk));
        require(one.gem != address(0));
        one.locked = ink / unit;
        one.freed = at.vat.gem(ilk, place) / unit;
        one.health = type(uint256).max;
        if (art == 0) return one;
        uint256 rad = art * at.jug.drip(ilk);
        // DAI that lies at the urn of a CDP repays too; that of the wallet itself is its own.
        uint256 kept = urn.number == 0 ? 0 : at.vat.dai(place);
        one.owed = rad > kept ? owedOf(rad - kept) : 0;
        one.health = healthOf(at.vat, ilk, ink, rad);
    }

    /// Savings of the wallet itself at the Pot, by the manager, and of its proxies: zero of one that is not its. loose: DAI
    /// of the wallet in the Vat that is not saved.
    function saved(Maker calldata at, address wallet, address[] calldata proxies)
        external
        returns (uint256 own, uint256 managed, uint256 loose, uint256[] memory byProxy)
    {
        uint256 chi = at.pot.drip();
        loose = at.vat.dai(wallet) / RAY;
        own = (at.pot.pie(wallet) * chi) / RAY;
        managed = (at.dsrManager.pieOf(wallet) * chi) / RAY;
        byProxy = new uint256[](proxies.length);
        for (uint256 i = 0; i < proxies.length; i++) {
            if (isOwned(proxies[i], wallet)) byProxy[i] = (at.pot.pie(proxies[i]) * chi) / RAY;
        }
    }

    /// A proxy may have been given away.
    function isOwned(address proxy, address wallet) private view returns (bool) {
        if (proxy.code.length == 0) return false;
        return Proxy(proxy).owner{gas: OWNER_GAS}() == wallet;
    }
}
