// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MakerCdpManager} from "./MakerCdpManager.sol";
import {MakerDaiJoin} from "./MakerDaiJoin.sol";
import {MakerJoin} from "./MakerJoin.sol";
import {MakerJug} from "./MakerJug.sol";
import {MakerPot} from "./MakerPot.sol";
import {MakerVat, RAY} from "./MakerVat.sol";

interface Weth {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// What wallets do in one call by their proxy, as DssProxyActions: it runs as the proxy.
contract MakerActions {
    struct Maker {
        MakerCdpManager manager;
        MakerJug jug;
        MakerJoin join;
        MakerDaiJoin daiJoin;
    }

    function open(MakerCdpManager manager, bytes32 ilk, address owner) external returns (uint256) {
        return manager.open(ilk, owner);
    }

    function give(MakerCdpManager manager, uint256 cdp, address dst) external {
        manager.give(cdp, dst);
    }

    /// Locks collateral by the Vat itself, past the manager.
    function lockGem(Maker calldata at, uint256 cdp, uint256 amt) external {
        MakerVat vat = at.manager.vat();
        IERC20 gem = at.join.gem();
        gem.transferFrom(msg.sender, address(this), amt);
        gem.approve(address(at.join), amt);
        at.join.join(address(this), amt);
        vat.frob(
            at.manager.ilks(cdp), at.manager.urns(cdp), address(this), address(this), int256(_wads(at, amt)), 0
        );
    }

    /// Locks collateral and borrows; either may be zero.
    function lockGemAndDraw(Maker calldata at, uint256 cdp, uint256 amt, uint256 wad) external {
        IERC20 gem = at.join.gem();
        gem.transferFrom(msg.sender, address(this), amt);
        _lockAndDraw(at, gem, cdp, amt, wad);
    }

    function lockETHAndDraw(Maker calldata at, uint256 cdp, uint256 wad) external payable {
        IERC20 weth = at.join.gem();
        Weth(address(weth)).deposit{value: msg.value}();
        _lockAndDraw(at, weth, cdp, msg.value, wad);
    }

    function wipeAndFreeGem(Maker calldata at, uint256 cdp, uint256 amt, uint256 wad) external {
        _wipeAndFree(at, cdp, amt, wad);
        at.join.exit(msg.sender, amt);
    }

    function wipeAndFreeETH(Maker calldata at, uint256 cdp, uint256 amt, uint256 wad) external {
        _wipeAndFree(at, cdp, amt, wad);
        at.join.exit(address(this), amt);
        Weth(address(at.join.gem())).withdraw(amt);
        payable(msg.sender).transfer(amt);
    }

    /// Repays all, and takes out so much collateral.
    function wipeAllAndFreeGem(Maker calldata at, uint256 cdp, uint256 amt) external {
        MakerVat vat = at.manager.vat();
        (bytes32 ilk, address urn) = (at.manager.ilks(cdp), at.manager.urns(cdp));
        (, uint256 art) = vat.urns(ilk, urn);
        (, uint256 rate,,,) = vat.ilks(ilk);
        _joinDai(at.daiJoin, urn, (art * rate - vat.dai(urn) + RAY - 1) / RAY);
        at.manager.frob(cdp, -int256(_wads(at, amt)), -int256(art));
        at.manager.flux(cdp, address(this), _wads(at, amt));
        at.join.exit(msg.sender, amt);
    }

    /// What a liquidation left of the collateral.
    function exitGem(Maker calldata at, uint256 cdp, uint256 amt) external {
        at.manager.flux(cdp, address(this), _wads(at, amt));
        at.join.exit(msg.sender, amt);
    }

    function save(MakerDaiJoin daiJoin, MakerPot pot, uint256 wad) external {
        uint256 chi = pot.drip();
        _joinDai(daiJoin, address(this), wad);
        daiJoin.vat().hope(address(pot));
        pot.join((wad * RAY) / chi);
    }

    function unsaveAll(MakerDaiJoin daiJoin, MakerPot pot) external {
        uint256 chi = pot.drip();
        uint256 pie = pot.pie(address(this));
        pot.exit(pie);
        daiJoin.vat().hope(address(daiJoin));
        daiJoin.exit(msg.sender, (chi * pie) / RAY);
    }

    function _lockAndDraw(Maker calldata at, IERC20 gem, uint256 cdp, uint256 amt, uint256 wad) private {
        MakerVat vat = at.manager.vat();
        address urn = at.manager.urns(cdp);
        if (amt > 0) {
            gem.approve(address(at.join), amt);
            at.join.join(urn, amt);
        }
        uint256 rate = at.jug.drip(at.manager.ilks(cdp));
        uint256 missing = wad * RAY > vat.dai(urn) ? wad * RAY - vat.dai(urn) : 0;
        at.manager.frob(cdp, int256(_wads(at, amt)), int256((missing + rate - 1) / rate));
        if (wad == 0) return;
        at.manager.move(cdp, address(this), wad * RAY);
        vat.hope(address(at.daiJoin));
        at.daiJoin.exit(msg.sender, wad);
    }

    function _wipeAndFree(Maker calldata at, uint256 cdp, uint256 amt, uint256 wad) private {
        MakerVat vat = at.manager.vat();
        (bytes32 ilk, address urn) = (at.manager.ilks(cdp), at.manager.urns(cdp));
        if (wad > 0) _joinDai(at.daiJoin, urn, wad);
        (, uint256 rate,,,) = vat.ilks(ilk);
        at.manager.frob(cdp, -int256(_wads(at, amt)), -int256(vat.dai(urn) / rate));
        at.manager.flux(cdp, address(this), _wads(at, amt));
    }

    function _joinDai(MakerDaiJoin daiJoin, address urn, uint256 wad) private {
        daiJoin.dai().transferFrom(msg.sender, address(this), wad);
        daiJoin.dai().approve(address(daiJoin), wad);
        daiJoin.join(urn, wad);
    }

    function _wads(Maker calldata at, uint256 amt) private view returns (uint256) {
        return amt * 10 ** (18 - at.join.dec());
    }
}
