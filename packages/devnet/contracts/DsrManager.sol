// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MakerDaiJoin} from "./MakerDaiJoin.sol";
import {MakerPot} from "./MakerPot.sol";
import {RAY} from "./MakerVat.sol";

/// Savings of DAI for wallets without a proxy, as DsrManager keeps them.
contract DsrManager {
    MakerPot public immutable pot;
    MakerDaiJoin public immutable daiJoin;
    mapping(address => uint256) public pieOf;

    event Join(address indexed dst, uint256 wad);
    event Exit(address indexed dst, uint256 wad);

    constructor(MakerPot pot_, MakerDaiJoin daiJoin_) {
        (pot, daiJoin) = (pot_, daiJoin_);
        pot.vat().hope(address(daiJoin));
        pot.vat().hope(address(pot));
        daiJoin.dai().approve(address(daiJoin), type(uint256).max);
    }

    function join(address dst, uint256 wad) external {
        uint256 pie = (wad * RAY) / pot.drip();
        pieOf[dst] += pie;
        daiJoin.dai().transferFrom(msg.sender, address(this), wad);
        daiJoin.join(address(this), wad);
        pot.join(pie);
        emit Join(dst, wad);
    }

    function exit(address dst, uint256 wad) external {
        uint256 chi = pot.drip();
        _exit(dst, chi, (wad * RAY + chi - 1) / chi);
    }

    function exitAll(address dst) external {
        _exit(dst, pot.drip(), pieOf[msg.sender]);
    }

    function _exit(address dst, uint256 chi, uint256 pie) private {
        pieOf[msg.sender] -= pie;
        pot.exit(pie);
        daiJoin.exit(dst, (chi * pie) / RAY);
        emit Exit(dst, (chi * pie) / RAY);
    }
}
